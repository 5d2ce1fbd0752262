import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Pod } from './pods.ts';
import { encodeFrame, FrameReader } from './websocket-frames.ts';

/** RFC 6455, 1.3: what the server puts behind the client's key before hashing. */
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Does the server's part of the handshake; then every text message comes back as `POD: MESSAGE`. */
export function answerWebSocket(pod: Pick<Pod, 'name'>, request: IncomingMessage, socket: Socket): void {
  const key = request.headers['sec-websocket-key'];
  if (request.headers.upgrade?.toLowerCase() !== 'websocket' || key === undefined) {
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  const accept = createHash('sha1').update(`${key}${HANDSHAKE_GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Backend: ${pod.name}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const reader = new FrameReader();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    for (const { opcode, payload } of reader.push(chunk)) {
      if (opcode === 0x8) socket.end(encodeFrame(0x8, payload));
      else if (opcode === 0x9) socket.write(encodeFrame(0xa, payload));
      else if (opcode === 0x1) socket.write(encodeFrame(0x1, Buffer.from(`${pod.name}: ${payload.toString()}`)));
    }
  });
}
