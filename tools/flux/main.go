// What Flux makes of objects, by the health expressions of a Kustomization (healthCheckExprs, RFC 0009).
//
// Reads JSON from stdin, a list of objects with their expressions, and prints one word for each:
// InProgress, Failed, Current, or Unknown where an expression could not be evaluated. Flux goes on
// waiting for what is Unknown.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

type question struct {
	InProgress string         `json:"inProgress"`
	Failed     string         `json:"failed"`
	Current    string         `json:"current"`
	Object     map[string]any `json:"object"`
}

// As in Flux: parsed and not checked, for the fields of an object are not known before.
func environment() (*cel.Env, error) {
	return cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(),
		ext.Strings(), ext.Sets(), ext.Encoders())
}

func holds(env *cel.Env, expression string, object map[string]any) (bool, error) {
	parsed, issues := env.Parse(expression)
	if issues != nil {
		log.Fatalf("%s: %s", expression, issues)
	}
	program, err := env.Program(parsed)
	if err != nil {
		log.Fatalf("%s: %s", expression, err)
	}
	value, _, err := program.Eval(object)
	if err != nil {
		return false, err
	}
	result, isBool := value.(types.Bool)
	if !isBool {
		return false, fmt.Errorf("%s is no yes or no", expression)
	}
	return bool(result), nil
}

func isOfAnOlderSpec(object map[string]any) bool {
	status, _ := object["status"].(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	observed, isThere := status["observedGeneration"]
	return isThere && observed != metadata["generation"]
}

func outcome(env *cel.Env, asked question) string {
	if isOfAnOlderSpec(asked.Object) {
		return "InProgress"
	}
	for _, one := range []struct{ expression, outcome string }{
		{asked.InProgress, "InProgress"}, {asked.Failed, "Failed"}, {asked.Current, "Current"},
	} {
		if one.expression == "" {
			continue
		}
		isSo, err := holds(env, one.expression, asked.Object)
		if err != nil {
			log.Print(err)
			return "Unknown"
		}
		if isSo {
			return one.outcome
		}
	}
	return "InProgress"
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		log.Fatal(err)
	}
	env, err := environment()
	if err != nil {
		log.Fatal(err)
	}
	for _, one := range questions {
		fmt.Println(outcome(env, one))
	}
}
