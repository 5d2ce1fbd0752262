import type { Finding } from '../../src/diagnostics/finding.ts';
import { emptyDelta } from '../../src/model/diff.ts';
import type { ModelDelta } from '../../src/model/model.ts';
import type { NeedChange } from '../../src/snapshot/needed-keys.ts';
import type { ResourceChange } from '../../src/snapshot/resource.ts';
import type { NameAnswer, Translator } from '../../src/translate/translator.ts';
import { backendPart, backendsDelta, mutableModel } from './model-parts.ts';

/** For tests: each Service becomes a backend of its name, at the port that is its whole body; a text body is a DNS name. */
export class FakeTranslator implements Translator {
  readonly model = mutableModel();
  readonly names = new Set<string>();
  readonly answers = new Map<string, NameAnswer>();
  said: readonly Finding[] = [];
  readonly needs: NeedChange[] = [];

  update(changes: readonly ResourceChange[]): ModelDelta {
    const keys: string[] = [];
    for (const change of changes) {
      const { name } = change.type === 'put' ? change.resource.ref : change.ref;
      const body = change.type === 'put' ? change.resource.body : undefined;
      if (typeof body === 'string') this.names.add(body);
      else if (typeof body === 'number') this.model.backends.set(name, backendPart(name, body));
      else this.model.backends.delete(name);
      keys.push(name);
    }
    return backendsDelta(...keys);
  }

  refuses(): boolean {
    return false;
  }

  neededNames(): ReadonlySet<string> {
    return this.names;
  }

  resolved(name: string, answer: NameAnswer): ModelDelta {
    this.answers.set(name, answer);
    this.model.backends.set(name, backendPart(name, 'error' in answer ? 1 : 2));
    return backendsDelta(name);
  }

  takeSecretNeeds(): readonly NeedChange[] {
    return this.needs.splice(0);
  }

  findings(): readonly Finding[] {
    return this.said;
  }

  tick(): ModelDelta {
    return emptyDelta();
  }
}

export function putService(name: string, body: number | string): ResourceChange {
  return { type: 'put', resource: { ref: { kind: 'Service', namespace: 'shop', name }, body } };
}
