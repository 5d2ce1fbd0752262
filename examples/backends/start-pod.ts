import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { answerWebSocket } from './answer-websocket.ts';
import { type Pod, POD_PORT } from './pods.ts';

export interface RunningPod {
  stop(): Promise<void>;
}

/** Serves as this pod: each request is answered with what arrived, as one line of JSON, and each WebSocket message with itself. */
export function startPod(pod: Pod, port: number = POD_PORT): Promise<RunningPod> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(`${JSON.stringify(describe(pod, request))}\n`);
  });
  server.on('upgrade', (request, socket) => answerWebSocket(pod, request, socket as Socket));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, pod.address, () => resolve({ stop }));
  });
}

function describe(pod: Pod, request: IncomingMessage): Record<string, unknown> {
  return {
    service: pod.service,
    version: pod.version,
    pod: pod.name,
    method: request.method,
    path: request.url,
    host: request.headers.host,
    headers: request.headers,
  };
}
