import { after } from 'node:test';
import type { Scope } from './scope.ts';

/** A scope that ends with the suite whose body calls this. Undone in the reverse order of registration. */
export function suiteScope(): Scope {
  const undos: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return { after: (undo) => undos.push(undo) };
}
