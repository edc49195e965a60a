package main

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// config is spec.plugin.config of the rollout. Values may be written as texts, as Kubernetes' maps
// of texts need them.
type config struct {
	Consumers json.Number `json:"consumers"`
	Current   string      `json:"current"`  // the revision before the rollout
	Revision  string      `json:"revision"` // the revision to go to
}

type wanted struct {
	consumers     int
	current, next string
}

func readConfig(text string) (wanted, error) {
	var read config
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return wanted{}, errors.New("spec.plugin.config must be an object with consumers, current and revision")
	}
	consumers, err := read.Consumers.Int64()
	if err != nil || consumers < 1 || consumers > 1000 {
		return wanted{}, errors.New("spec.plugin.config.consumers must be a number from 1 to 1000")
	}
	if read.Current == "" || read.Revision == "" {
		return wanted{}, errors.New("spec.plugin.config needs current and revision")
	}
	return wanted{int(consumers), read.Current, read.Revision}, nil
}

// group is a number of consumers, of which the first `updated` are on the next revision.
type group struct {
	mutex    sync.Mutex
	pause    time.Duration // that replacing one consumer takes
	wanted   wanted
	updated  int
	goal     int
	moving   bool
	promoted bool // the next revision becomes the current one when all are on it
}

type view struct {
	all, updated  int
	current, next string
}

func (g *group) look() view {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	updated := g.updated
	if g.wanted.current == g.wanted.next {
		updated = g.wanted.consumers
	}
	return view{g.wanted.consumers, updated, g.wanted.current, g.wanted.next}
}

// leadsTo is whether this is the revision that the group goes to; an empty one is any.
func (g *group) leadsTo(revision string) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return revision == "" || revision == g.wanted.next
}

// aim begins to bring so many percent to the next revision, and says how many are and should be
// there. More than nothing is at least one.
func (g *group) aim(percent int) (updated, goal int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.begin(percent)
}

// begin is aim for who holds the lock. Without a rollout there is nothing to do.
func (g *group) begin(percent int) (updated, goal int) {
	if g.wanted.current == g.wanted.next {
		return g.wanted.consumers, g.wanted.consumers
	}
	g.promoted = g.promoted && percent == 100
	g.goal = g.wanted.consumers * percent / 100
	if percent > 0 && g.goal == 0 {
		g.goal = 1
	}
	if g.updated != g.goal && !g.moving {
		g.moving = true
		go g.move()
	}
	return g.updated, g.goal
}

func (g *group) promote() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.promoted = true
	g.begin(100)
	g.settle()
}

func (g *group) settle() {
	if g.promoted && g.updated == g.wanted.consumers {
		g.wanted.current, g.promoted = g.wanted.next, false
	}
}

func (g *group) move() {
	for g.step() {
	}
}

func (g *group) step() bool {
	time.Sleep(g.pause)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	switch {
	case g.updated < g.goal:
		g.updated++
	case g.updated > g.goal:
		g.updated--
	}
	g.moving = g.updated != g.goal
	g.settle()
	return g.moving
}

type groups struct {
	mutex sync.Mutex
	pause time.Duration
	all   map[string]*group
}

func newGroups(pause time.Duration) *groups {
	return &groups{pause: pause, all: map[string]*group{}}
}

// find returns the group, which begins on the current revision. A new revision in the config begins
// a rollout from where the last one ended.
func (all *groups) find(name string, asked wanted) *group {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	found := all.all[name]
	if found == nil {
		found = &group{pause: all.pause, wanted: asked}
		all.all[name] = found
	}
	found.mutex.Lock()
	defer found.mutex.Unlock()
	if found.wanted.next != asked.next {
		found.wanted.next, found.updated, found.goal, found.promoted = asked.next, 0, 0, false
	}
	found.wanted.consumers = asked.consumers
	return found
}
