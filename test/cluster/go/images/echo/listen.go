package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
)

func listen(port string) net.Listener {
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

func fatal(err error) {
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

func echoLines(listener net.Listener, pod pod) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer connection.Close()
			for lines := bufio.NewScanner(connection); lines.Scan(); {
				fmt.Fprintf(connection, "%s: %s\n", pod.Name, lines.Text())
			}
		}()
	}
}

func echoDatagrams(port string, pod pod) {
	socket, err := net.ListenPacket("udp", ":"+port)
	if err != nil {
		log.Fatal(err)
	}
	buffer := make([]byte, 65_535)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			log.Fatal(err)
		}
		socket.WriteTo(append([]byte(pod.Name+": "), buffer[:size]...), from)
	}
}
