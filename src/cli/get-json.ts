import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';

export interface JsonAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
}

export interface JsonRequest {
  readonly url: URL;
  /** Of a unix socket that takes the place of the URL's host and port. */
  readonly socketPath?: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
}

/** Not by `fetch`, which refuses some ports that an admin server may well have. Rejects where no answer begins. */
export async function getJson(
  { url, socketPath, method, headers }: JsonRequest,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const request = url.protocol === 'https:' ? requestSecurely : requestPlainly;
  const place = socketPath === undefined ? {} : { socketPath };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { ...place, method, headers, signal, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  const { statusCode = 0, statusMessage = '' } = response;
  return { status: statusCode, statusText: statusMessage, body: await bodyOf(response) };
}

async function bodyOf(response: IncomingMessage): Promise<unknown> {
  let text = '';
  try {
    response.setEncoding('utf8');
    for await (const chunk of response) text += chunk as string;
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
