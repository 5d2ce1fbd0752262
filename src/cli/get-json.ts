import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';

export interface JsonAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
}

/** Not by `fetch`, which refuses some ports that an admin server may well have. Rejects where no answer begins. */
export async function getJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const get = url.protocol === 'https:' ? getSecure : getPlain;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, signal, agent: false }, resolve).on('error', reject);
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
