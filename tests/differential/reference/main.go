// Command reference evaluates conditions with the library that they were made for. It reads lines of
// JSON, {"text": EXPRESSION, "result": DOCUMENT}, and answers each with {"value": ...} or
// {"error": SENTENCE}. Numbers of the document without a fraction are integers, as with us, and all of
// an expression is evaluated: the optimizer leaves out errors in what turns out not to matter.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
)

type question struct {
	Text   string          `json:"text"`
	Result json.RawMessage `json:"result"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			panic(err)
		}
		value, err := answer(asked)
		if err != nil {
			fmt.Fprintf(out, "{\"error\": %s}\n", quoted(err.Error()))
			continue
		}
		fmt.Fprintf(out, "{\"value\": %s}\n", written(reflect.ValueOf(value)))
	}
}

func answer(asked question) (value any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	env := map[string]any{
		"result":  document(asked.Result),
		"asInt":   func(in any) int { return int(asFloat(in)) },
		"asFloat": asFloat,
		"isNaN":   math.IsNaN,
		"isInf":   func(number float64) bool { return math.IsInf(number, 0) },
		"isNil":   func(in any) bool { return in == nil },
		"default": func(in, otherwise any) any {
			if in == nil {
				return otherwise
			}
			return in
		},
	}
	fromJSON := expr.Function("fromJSON", func(given ...any) (any, error) {
		return document([]byte(given[0].(string))), nil
	}, new(func(string) any))
	program, err := expr.Compile(asked.Text, expr.Env(env), expr.Optimize(false), fromJSON)
	if err != nil {
		return nil, err
	}
	return expr.Run(program, env)
}

func asFloat(in any) float64 {
	switch value := in.(type) {
	case int:
		return float64(value)
	case int64:
		return float64(value)
	case float64:
		return value
	case string:
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(err)
		}
		return number
	}
	panic(fmt.Sprintf("not a number: %T", in))
}

func document(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return plain(value)
}

func plain(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := strconv.Atoi(value.String()); err == nil {
			return whole
		}
		number, _ := value.Float64()
		return number
	case []any:
		for i := range value {
			value[i] = plain(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = plain(value[key])
		}
	}
	return value
}

// JSON, and NaN and infinities as Python reads them.
func written(value reflect.Value) string {
	for value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if !value.IsValid() {
		return "null"
	}
	switch known := value.Interface().(type) {
	case time.Time:
		return quoted(known.Format(time.RFC3339Nano))
	case time.Duration:
		return quoted(known.String())
	case string:
		return quoted(known)
	case bool:
		return strconv.FormatBool(known)
	}
	switch {
	case value.CanInt():
		return strconv.FormatInt(value.Int(), 10)
	case value.CanUint():
		return strconv.FormatUint(value.Uint(), 10)
	case value.CanFloat():
		return float(value.Float())
	case value.Kind() == reflect.Map:
		members := []string{}
		for _, key := range value.MapKeys() {
			name := written(key)
			if !strings.HasPrefix(name, "\"") {
				name = quoted(name)
			}
			members = append(members, name+": "+written(value.MapIndex(key)))
		}
		sort.Strings(members)
		return "{" + strings.Join(members, ", ") + "}"
	case value.Kind() == reflect.Slice || value.Kind() == reflect.Array:
		items := []string{}
		for i := 0; i < value.Len(); i++ {
			items = append(items, written(value.Index(i)))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return quoted("a " + value.Kind().String())
}

func float(number float64) string {
	switch {
	case math.IsNaN(number):
		return "NaN"
	case math.IsInf(number, 1):
		return "Infinity"
	case math.IsInf(number, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}
