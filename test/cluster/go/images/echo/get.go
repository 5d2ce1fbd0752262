package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// get prints what a URL answers: for tests that ask from inside a pod. Exit code 1: no answer, or one above 399.
func get(url string) int {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil || response.StatusCode > 399 {
		fmt.Fprintln(os.Stderr, response.Status, err)
		return 1
	}
	return 0
}
