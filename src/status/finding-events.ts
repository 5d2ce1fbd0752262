import type { Finding } from '../diagnostics/finding.ts';
import { findingIdentity } from '../diagnostics/finding-identity.ts';
import type { EventNote, EventSubject } from '../kube/event.ts';
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts';
import type { ObjectRef } from '../model/origin.ts';
import { eventReason } from './event-reason.ts';

export interface FindingEventsOptions {
  /** False: it can't be said now. */
  readonly record: (note: EventNote) => boolean;
  /** The object as the API server has it; undefined: there is none. */
  readonly identify: (object: ObjectRef) => EventSubject | undefined;
  readonly clock?: Clock;
}

interface Standing {
  readonly finding: Finding;
  /** Not said before, in milliseconds of the clock. */
  next: number;
  /** uid of the object at which it was said. */
  told?: string;
}

/** Milliseconds that a finding must stand: much of what is wrong in a roll-out is over by then. */
const SETTLE = 3000;
/** An Event lives for an hour. What still stands then is said again before, so that `kubectl describe` goes on showing it. */
const REPEAT = 45 * 60_000;
const REPEAT_SPREAD = 10 * 60_000;
/** When the recorder takes no more. */
const AGAIN = 60_000;
const TICK = 15_000;

/**
 * Says findings at the objects that they are about, each once, and again while it stands for long. Errors and warnings; what is
 * for information stands in `weir status` and the metrics.
 */
export class FindingEvents {
  readonly #options: FindingEventsOptions;
  readonly #clock: Clock;
  #standing = new Map<string, Standing>();
  #leading = false;
  #cancel: (() => void) | undefined;
  /** When it looks next. */
  #at = 0;

  constructor(options: FindingEventsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** These and no others stand now. */
  note(findings: readonly Finding[]): void {
    const before = this.#standing;
    this.#standing = new Map();
    const next = this.#clock.now() + SETTLE;
    for (const finding of findings) {
      if (finding.severity === 'info') continue;
      const id = findingIdentity(finding);
      this.#standing.set(id, before.get(id) ?? { finding, next });
    }
    this.#lookIn(SETTLE);
  }

  leading(leading: boolean): void {
    this.#leading = leading;
    if (leading) {
      this.#lookIn(0);
      return;
    }
    this.#cancel?.();
    this.#cancel = undefined;
    // The next leader has said it meanwhile, or goes on with the same Event.
    for (const standing of this.#standing.values()) delete standing.told;
  }

  /** At the latest. */
  #lookIn(milliseconds: number): void {
    if (!this.#leading) return;
    const at = this.#clock.now() + milliseconds;
    if (this.#cancel !== undefined && this.#at <= at) return;
    this.#cancel?.();
    this.#at = at;
    this.#cancel = this.#clock.after(milliseconds, () => {
      this.#cancel = undefined;
      this.#look();
      if (this.#standing.size > 0) this.#lookIn(TICK);
    });
  }

  #look(): void {
    const now = this.#clock.now();
    for (const [id, standing] of this.#standing) {
      const subject = this.#options.identify(standing.finding.object);
      if (subject === undefined || (standing.told === subject.uid && now < standing.next)) continue;
      if (standing.told === undefined && now < standing.next) continue;
      const told = this.#options.record(noteOf(standing.finding, subject));
      if (told) standing.told = subject.uid;
      standing.next = now + (told ? REPEAT + spread(id) : AGAIN);
    }
  }
}

/** `WEIR0103 spec.rules[0].http.paths[0].backend: Service "web" does not exist. Create the Service, or correct its name.` */
function noteOf({ code, field, message, fix }: Finding, subject: EventSubject): EventNote {
  const place = field === '' ? code : `${code} ${field}`;
  return { subject, type: 'Warning', reason: eventReason(code), message: `${place}: ${message} ${fix}`.trim() };
}

/** So that what was said together isn't repeated together. */
function spread(id: string): number {
  let hash = 0;
  for (let i = 0; i < id.length; i++) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) >>> 0;
  return hash % REPEAT_SPREAD;
}
