/**
 * Says something over a WebSocket and prints the answer.
 * Usage: say.ts wss://HOST:PORT/PATH ADDRESS TEXT   The connection is made to ADDRESS, whatever HOST resolves to.
 */
import { randomBytes } from 'node:crypto';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { encodeFrame, FrameReader } from './websocket-frames.ts';

const [target = '', address = '', text = ''] = process.argv.slice(2);
const url = new URL(target);
const send = url.protocol === 'wss:' ? tlsRequest : plainRequest;
const handshake = send({
  host: address,
  port: url.port,
  path: url.pathname,
  // The demo's certificates are signed by an authority that only the demo knows.
  rejectUnauthorized: false,
  servername: url.hostname,
  headers: {
    Host: url.host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
  },
});
handshake.on('response', (response) => {
  console.error(`the handshake was answered with ${response.statusCode} instead of 101`);
  process.exit(1);
});
handshake.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
handshake.on('upgrade', (_response, socket) => {
  const reader = new FrameReader();
  socket.on('data', (chunk: Buffer) => {
    for (const { opcode, payload } of reader.push(chunk)) {
      if (opcode !== 0x1) continue;
      console.log(payload.toString());
      socket.end(encodeFrame(0x8, Buffer.alloc(0), randomBytes(4)));
    }
  });
  socket.write(encodeFrame(0x1, Buffer.from(text), randomBytes(4)));
});
handshake.end();
