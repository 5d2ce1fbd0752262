package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
)

// handshakeGUID is what the server puts behind the client's key before hashing (RFC 6455, 1.3).
const handshakeGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

const (
	opText  = 0x1
	opClose = 0x8
	opPing  = 0x9
	opPong  = 0xa
)

// echoWebSocket answers every unfragmented text message with "NAME: message", until the client or the server closes.
func echoWebSocket(w http.ResponseWriter, r *http.Request, pod pod) {
	key := r.Header.Get("Sec-WebSocket-Key")
	hijacker, able := w.(http.Hijacker)
	if key == "" || !able {
		http.Error(w, "not a WebSocket handshake", http.StatusBadRequest)
		return
	}
	connection, stream, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	hash := sha1.Sum([]byte(key + handshakeGUID))
	stream.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Backend: " + pod.Name +
		"\r\nSec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(hash[:]) + "\r\n\r\n")
	for stream.Flush() == nil {
		opcode, payload, err := readFrame(stream.Reader)
		if err != nil {
			return
		}
		switch opcode {
		case opText:
			writeFrame(stream.Writer, opText, append([]byte(pod.Name+": "), payload...))
		case opPing:
			writeFrame(stream.Writer, opPong, payload)
		case opClose:
			writeFrame(stream.Writer, opClose, payload)
			stream.Flush()
			return
		}
	}
}

// readFrame reads a frame of at most 1 MiB and takes the client's mask off.
func readFrame(from *bufio.Reader) (opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(from, head[:]); err != nil {
		return
	}
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		var short [2]byte
		_, err = io.ReadFull(from, short[:])
		size = uint64(binary.BigEndian.Uint16(short[:]))
	case 127:
		var long [8]byte
		_, err = io.ReadFull(from, long[:])
		size = binary.BigEndian.Uint64(long[:])
	}
	if err != nil || size > 1<<20 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	var mask [4]byte
	if head[1]&0x80 != 0 {
		if _, err = io.ReadFull(from, mask[:]); err != nil {
			return
		}
	}
	payload = make([]byte, size)
	if _, err = io.ReadFull(from, payload); err != nil {
		return
	}
	for index := range payload {
		payload[index] ^= mask[index%4]
	}
	return head[0] & 0x0f, payload, nil
}

func writeFrame(to *bufio.Writer, opcode byte, payload []byte) {
	to.WriteByte(0x80 | opcode)
	switch size := len(payload); {
	case size < 126:
		to.WriteByte(byte(size))
	case size < 1<<16:
		to.WriteByte(126)
		to.Write(binary.BigEndian.AppendUint16(nil, uint16(size)))
	default:
		to.WriteByte(127)
		to.Write(binary.BigEndian.AppendUint64(nil, uint64(size)))
	}
	to.Write(payload)
}
