import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../src/diagnostics/finding.ts';
import { type KeyPair, makeAuthority } from '../support/certificates.ts';
import { handshake } from '../support/clients/tls-client.ts';
import type { Scope } from '../support/scope.ts';
import { ConfShape } from './conf-shape.ts';
import { type Decoy, startDecoy } from './decoy.ts';
import { FuzzWeir } from './fuzz-weir.ts';
import { harmlessMutations } from './harmless.ts';
import { judge } from './judge.ts';
import { NginxLogs } from './nginx-logs.ts';
import { allPlaces, type Place, secretsOfExamples } from './places.ts';
import { Asker } from './probe.ts';
import { DOMAIN, makeSpecimen, secretForAnnotations, type Specimen } from './specimen.ts';
import { fileOf, type Mutation, spoil, type Spoiled, told } from './spoiled.ts';
import { UsualStatuses } from './usual-statuses.ts';
import { startWitnessBackend, type WitnessBackend } from './witness-backend.ts';

/** The most specimens at a time. */
export const BATCH = 300;
const HARMLESS = 12;
const ASKERS = 6;

export interface Figures {
  specimens: number;
  requests: number;
  handshakes: number;
  served: number;
  reported: number;
  findings: number;
  readonly places: Set<string>;
  readonly values: Set<string>;
}

/** One weir, to which batch after batch of hostile objects is given, beside harmless ones that must not notice. */
export class Campaign {
  readonly weir: FuzzWeir;
  readonly decoy: Decoy;
  readonly backend: WitnessBackend;
  readonly logs: NginxLogs;
  readonly places: readonly Place[];
  readonly shape = new ConfShape();
  readonly harmless: readonly Specimen[];
  readonly figures: Figures = {
    specimens: 0,
    requests: 0,
    handshakes: 0,
    served: 0,
    reported: 0,
    findings: 0,
    places: new Set(),
    values: new Set(),
  };
  readonly #pair: KeyPair;
  readonly #usual = new UsualStatuses();
  #batch = 0;
  #files: readonly string[] = [];
  #events = 0;

  private constructor(
    weir: FuzzWeir,
    decoy: Decoy,
    backend: WitnessBackend,
    pair: KeyPair,
    places: readonly Place[],
    harmless: readonly Specimen[],
  ) {
    this.weir = weir;
    this.decoy = decoy;
    this.backend = backend;
    this.places = places;
    this.harmless = harmless;
    this.#pair = pair;
    this.logs = new NginxLogs(weir.logs, () => weir.masterPid());
  }

  /** Serves the harmless ones, and learns from objects that use everything what a configuration consists of. */
  static async start(scope: Scope): Promise<Campaign> {
    const decoy = await startDecoy(scope);
    const backend = await startWitnessBackend(scope, BATCH + HARMLESS);
    const authority = await makeAuthority();
    const pair = await authority.issue([`*.${DOMAIN}`]);
    const weir = await FuzzWeir.start(scope, decoy);
    const harmless = backend.addresses
      .slice(BATCH)
      .map((address, index) => makeSpecimen({ id: `harmless-${index}`, address, port: backend.port, pair }));
    const places = await allPlaces(harmless[0]!);
    const campaign = new Campaign(weir, decoy, backend, pair, places, harmless);
    for (const specimen of harmless) weir.write(`${specimen.id}.json`, fileOf(spoil(specimen, [], decoy.port)));
    await campaign.#learn(authority.certificate);
    return campaign;
  }

  /** Puts the batch in the place of the one before. Each entry is one specimen. Returns what must not be. */
  async run(batch: readonly (readonly Mutation[])[]): Promise<readonly string[]> {
    let spoiled: readonly Spoiled[];
    try {
      spoiled = await this.#apply(batch);
    } catch (error) {
      return [String(error), ...this.standingFaults()];
    }
    const findings = this.weir.controller.findings();
    this.#count(batch, findings);
    return [
      ...(await this.#judged(spoiled, findings)),
      ...(await this.#handshakeFaults(spoiled)),
      ...(await this.#harmlessFaults()),
      ...this.shape.strangers(this.weir.configuration()),
      ...this.standingFaults(findings),
    ];
  }

  /** What must not be, whatever was done. */
  standingFaults(findings: readonly Finding[] = this.weir.controller.findings()): readonly string[] {
    const events = this.weir.events.slice(this.#events);
    const { refusals } = this.logs;
    this.#events = this.weir.events.length;
    const said = findings.filter(({ code }) => code === 'WEIR0407').map(({ message }) => message);
    const unsaid = events.filter(({ event, message }) => {
      const why = /: (.*)\. What needs it/.exec(message)?.[1] ?? message;
      return event === 'quarantined' && !said.some((text) => text.includes(why));
    });
    return [
      ...this.weir.faults.splice(0),
      ...findings.filter(({ code }) => code === 'WEIR0500').map(({ message }) => `a fault of weir: ${message}`),
      ...events
        .filter(({ event }) => ['ended', 'restart-failed', 'no-room', 'orphans-quit'].includes(event))
        .map(({ event, message }) => `nginx: ${event}: ${message}`),
      ...unsaid.map(({ message }) => `quarantined, unreported: ${message}`),
      ...(this.decoy.connections() === 0 ? [] : [`${this.decoy.connections()} connections to the admin address`]),
      ...this.logs.faults(),
      ...(this.logs.refusals > refusals && said.length === 0 ? ['nginx -t refuses a configuration, unreported'] : []),
    ];
  }

  async #apply(batch: readonly (readonly Mutation[])[]): Promise<readonly Spoiled[]> {
    this.#batch += 1;
    for (const file of this.#files) rmSync(join(this.weir.folder, file));
    const spoiled = batch.map((mutations, index) => {
      const id = `b${this.#batch}x${index}`;
      const address = this.backend.addresses[index] ?? '';
      return spoil(
        makeSpecimen({ id, address, port: this.backend.port, pair: this.#pair }),
        mutations,
        this.decoy.port,
      );
    });
    for (const each of spoiled) this.weir.write(`${each.specimen.id}.json`, fileOf(each));
    this.#files = spoiled.map(({ specimen }) => `${specimen.id}.json`);
    await this.weir.settled();
    return spoiled;
  }

  async #judged(spoiled: readonly Spoiled[], findings: readonly Finding[]): Promise<readonly string[]> {
    const byFile = Map.groupBy(findings, ({ file = '' }) => file.slice(file.lastIndexOf('/') + 1));
    const models = this.#modelTexts();
    const faults: string[] = [];
    const queue = spoiled.values();
    await Promise.all(
      Array.from({ length: ASKERS }, async () => {
        const asker = new Asker(this.weir.httpPort);
        for (const each of queue) {
          const { id } = each.specimen;
          const judgement = await judge(each, byFile.get(`${id}.json`) ?? [], models.get(id) ?? '', this.#usual, asker);
          this.figures[judgement.outcome] += 1;
          faults.push(...judgement.faults);
        }
        this.figures.requests += asker.asked;
        asker.close();
      }),
    );
    return faults;
  }

  /** Whatever is wrong with a certificate, there is one that is shown. */
  async #handshakeFaults(spoiled: readonly Spoiled[]): Promise<readonly string[]> {
    const faults: string[] = [];
    const concerned = spoiled
      .filter(({ mutations }) => mutations.some(({ place }) => place.kind === 'Secret' || place.name.includes('tls')))
      .values();
    await Promise.all(
      Array.from({ length: ASKERS }, async () => {
        for (const { specimen, mutations } of concerned) {
          this.figures.handshakes += 1;
          await handshake(this.weir.httpsPort, { servername: specimen.host }).catch((error: unknown) =>
            faults.push(`${told({ mutations })}: TLS handshake: ${String(error)}`),
          );
        }
      }),
    );
    return faults;
  }

  /** What the model has of each specimen, as text. */
  #modelTexts(): ReadonlyMap<string, string> {
    const { hosts, backends } = this.weir.controller.model;
    const texts = new Map<string, string>();
    for (const part of [...hosts.values(), ...backends.values()]) {
      const text = JSON.stringify(part);
      for (const id of new Set(text.match(/\bb\d+x\d+\b/g) ?? [])) texts.set(id, `${texts.get(id) ?? ''}\n${text}`);
    }
    return texts;
  }

  async #harmlessFaults(): Promise<readonly string[]> {
    const asker = new Asker(this.weir.httpPort);
    const faults: string[] = [];
    for (const { id, host, address } of this.harmless) {
      const { status, body } = await asker.ask({ host, target: '/shop/item' });
      if (status !== 200 || !body.includes(`"at":"${address}"`))
        faults.push(`${id} answers ${status} ${body.slice(0, 200)}`);
    }
    this.figures.requests += asker.asked;
    asker.close();
    return faults;
  }

  async #learn(authority: string): Promise<void> {
    for (const name of secretsOfExamples()) {
      this.weir.write(`secret-${name}.json`, JSON.stringify(secretForAnnotations(name, this.#pair, authority)));
    }
    this.shape.learn(this.weir.configuration());
    const all = harmlessMutations(this.places);
    const asker = new Asker(this.weir.httpPort);
    for (let start = 0; start < all.length; start += BATCH) {
      for (const spoiled of await this.#apply(all.slice(start, start + BATCH))) await this.#usual.learn(spoiled, asker);
      this.shape.learn(this.weir.configuration());
    }
    asker.close();
  }

  #count(batch: readonly (readonly Mutation[])[], findings: readonly Finding[]): void {
    this.figures.specimens += batch.length;
    this.figures.findings += findings.length;
    for (const { place, value } of batch.flat()) {
      this.figures.places.add(place.name);
      this.figures.values.add(value.name);
    }
  }
}
