import type { EventResult } from '../kube/event-recorder.ts';
import type { StatusWriteResult } from './ingress-status-writer.ts';

/** What was written to a cluster so far, by result. */
export class WriteCounts {
  readonly statusWrites = new Map<StatusWriteResult, number>();
  readonly events = new Map<EventResult, number>();
  leads = false;

  statusWritten(result: StatusWriteResult): void {
    this.statusWrites.set(result, (this.statusWrites.get(result) ?? 0) + 1);
  }

  event(result: EventResult): void {
    this.events.set(result, (this.events.get(result) ?? 0) + 1);
  }
}
