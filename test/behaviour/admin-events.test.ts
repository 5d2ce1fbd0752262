import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { type ApiDocument, answerSchema, schemaErrors } from '../support/api-document.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { eventually, type Scope } from '../support/scope.ts';
import { Site } from '../support/site.ts';

interface Event {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream of server-sent events that is being read. */
class EventStream {
  readonly response: IncomingMessage;
  /** Resolves when the server ends it. */
  readonly ended: Promise<void>;
  #text = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.ended = new Promise((resolve) => response.once('end', resolve));
    response.setEncoding('utf8').on('data', (chunk: string) => (this.#text += chunk));
  }

  static open(scope: Scope, port: number): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const sent = get({ host: '127.0.0.1', port, path: '/api/v1/events', agent: false }, (response) =>
        resolve(new EventStream(response)),
      );
      sent.once('error', reject);
      scope.after(() => void sent.destroy());
    });
  }

  /** Those that came whole so far; comments, which only keep the stream alive, are left out. */
  events(): readonly Event[] {
    const blocks = this.#text.split('\n\n').slice(0, -1);
    return blocks
      .filter((block) => !block.startsWith(':'))
      .map((block) => {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        assert.notEqual(event, '', block);
        return { event, data: JSON.parse(data) as Event['data'] };
      });
  }
}

test('/api/v1/events: the status at once, then each apply and each new status as it happens', async (context) => {
  const [site, backend] = await Promise.all([Site.open(context), startBackend(context, { name: 'shop' })]);
  const stream = await EventStream.open(context, site.weir.adminPort);
  assert.equal(stream.response.statusCode, 200);
  assert.equal(stream.response.headers['content-type'], 'text/event-stream');
  const [first] = await eventually('the first event', () => stream.events().length > 0 && stream.events());
  assert.equal(first?.event, 'status');
  const before = first?.data.generation as number;

  await site.expose({ host: 'shop.example', backends: [backend] });
  const { generation } = await site.status();
  assert.ok(generation > before);
  const told = (event: string, key: string) =>
    stream.events().find((each) => each.event === event && each.data[key] === generation);
  const applied = await eventually('the apply', () => told('applied', 'generation'));
  assert.deepEqual([applied.data.driver, applied.data.reloaded], ['nginx', false]);
  await eventually('the new status', () => told('status', 'appliedGeneration'));

  await site.expose({ host: 'big.example', backends: [backend], annotations: { 'proxy-body-size': '7m' } });
  const reloaded = () => stream.events().some(({ event, data }) => event === 'applied' && data.reloaded === true);
  await eventually('the apply that reloaded', reloaded);
  const known = (await site.status()).generation;
  await eventually('its status', () => stream.events().some(({ data }) => data.appliedGeneration === known));

  const document = await site.weir.admin<ApiDocument>('/api/v1/openapi.json');
  const schema = answerSchema(document, '/api/v1/events', 200, 'text/event-stream');
  for (const event of stream.events()) assert.deepEqual(schemaErrors(schema, event), [], JSON.stringify(event));
  assert.notDeepEqual(schemaErrors(schema, { event: 'other', data: {} }), []);

  assert.equal(await site.weir.stop(), 0);
  await stream.ended;
});
