// Reads a JSON list of patterns and writes those that Go's regexp does not compile, as a JSON list.
package main

import (
	"encoding/json"
	"log"
	"os"
	"regexp"
)

func main() {
	var patterns []string
	if err := json.NewDecoder(os.Stdin).Decode(&patterns); err != nil {
		log.Fatal(err)
	}
	refused := []string{}
	for _, pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			refused = append(refused, pattern)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(refused); err != nil {
		log.Fatal(err)
	}
}
