import { join } from 'node:path';
import { Controller } from '../../src/controller/controller.ts';
import { StreamReport } from '../../src/controller/stream-report.ts';
import { StreamedFeed } from '../../src/controller/streamed-feed.ts';
import { TranslatedFeed } from '../../src/controller/translated-feed.ts';
import type { Model } from '../../src/model/model.ts';
import { ModelClient } from '../../src/stream/model-client.ts';
import { ModelServer } from '../../src/stream/model-server.ts';
import { parseStreamAddress } from '../../src/stream/stream-address.ts';
import type { CredentialSource } from '../../src/stream/tls/credentials.ts';
import { FakeDriver } from './fake-driver.ts';
import { FakeSource } from './fake-source.ts';
import { FakeTranslator } from './fake-translator.ts';
import { type Scope, temporaryDirectory } from './scope.ts';

interface Timing {
  readonly beatMs?: number;
  readonly patienceMs?: number;
}

/** A controller with a model stream, in this process; its source delivers when it is told to. */
export class RigController {
  readonly source = new FakeSource();
  readonly translator = new FakeTranslator();
  readonly events: string[] = [];
  readonly controller: Controller;
  readonly server: ModelServer;
  readonly address: string;

  private constructor(address: string, timing: Timing, credentials?: CredentialSource) {
    this.address = address;
    const feed = new TranslatedFeed({
      source: this.source,
      translator: this.translator,
      query: async () => ({ outcome: 'gone', error: 'ENOTFOUND' }),
    });
    this.controller = new Controller({ feed, drivers: [], version: '1.2.3', random: () => 0 });
    this.server = new ModelServer({
      addresses: [parseStreamAddress(address)],
      ...(credentials === undefined ? {} : { credentials }),
      ...timing,
      software: '1.2.3',
      name: 'rig',
      host: {
        synced: () => feed.isSynced,
        health: () => ({ healthy: true, problems: [] }),
        add: (driver) => this.controller.addDriver(driver),
        remove: (name) => this.controller.removeDriver(name),
        reloaded: (name, reason, detail) => this.controller.noteReload(name, reason, detail),
        noted: () => this.controller.look(),
        settle: (name) => this.controller.settle(AbortSignal.timeout(10_000), name),
      },
      onEvent: ({ message }) => this.events.push(message),
    });
  }

  static async start(
    scope: Scope,
    { address, credentials, ...timing }: { address?: string; credentials?: CredentialSource } & Timing = {},
  ): Promise<RigController> {
    const where = address ?? `unix:${join(temporaryDirectory(scope, 'rig'), 'model', 'socket')}`;
    const rig = new RigController(where, timing, credentials);
    rig.controller.listen({ moved: (generation, delta) => rig.server.moved(generation, delta) });
    await rig.server.listen();
    await rig.controller.start();
    scope.after(() => rig.stop());
    return rig;
  }

  settled(): Promise<boolean> {
    return this.controller.settle(AbortSignal.timeout(10_000));
  }

  /** Once. */
  stop(): Promise<void> {
    this.#stopped ??= this.server.close().then(() => this.controller.stop('leave'));
    return this.#stopped;
  }

  #stopped: Promise<void> | undefined;
}

/** A proxy whose load balancer is a fake one. */
export class RigProxy {
  readonly driver = new FakeDriver('nginx');
  readonly events: string[] = [];
  readonly controller: Controller;
  readonly client: ModelClient;

  private constructor(
    addresses: readonly string[],
    name: string,
    timing: Timing,
    saved: Model | undefined,
    credentials: CredentialSource | undefined,
  ) {
    let report: StreamReport | undefined;
    const feed = new StreamedFeed({
      ...(saved === undefined ? {} : { saved }),
      client: (host) =>
        new ModelClient(
          {
            addresses: addresses.map((text) => ({ text, address: parseStreamAddress(text) })),
            ...(credentials === undefined ? {} : { credentials }),
            ...timing,
            software: '1.2.3',
            name,
            onEvent: (message) => this.events.push(message),
          },
          host,
        ),
      match: async ({ pattern }) => ({ matched: true, captures: [pattern] }),
      onCommit: (commit, generation) => report?.committed(commit, generation),
    });
    this.client = feed.client;
    this.controller = new Controller({
      feed,
      drivers: [this.driver],
      version: '1.2.3',
      random: () => 0,
      ...(saved === undefined ? {} : { saved }),
    });
    report = new StreamReport(this.controller, feed.client);
    this.controller.listen(report);
  }

  static async start(
    scope: Scope,
    addresses: readonly string[],
    options: { name?: string; saved?: Model; credentials?: CredentialSource } & Timing = {},
  ): Promise<RigProxy> {
    const { name = 'one', saved, credentials, ...timing } = options;
    const rig = new RigProxy(addresses, name, timing, saved, credentials);
    await rig.controller.start();
    scope.after(() => rig.stop());
    return rig;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.controller.stop('drain');
    return this.#stopped;
  }

  #stopped: Promise<void> | undefined;
}
