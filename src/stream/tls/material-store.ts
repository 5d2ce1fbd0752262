import type { Credentials } from './credentials.ts';
import type { Material } from './material.ts';

/** Where controllers keep what they share. Every method rejects where the place can't be reached. */
export interface MaterialStore {
  /** Of the place, for messages: `secret weir/weir-model-tls`. */
  readonly place: string;
  read(): Promise<{ readonly material: Material | undefined; readonly version: string | undefined }>;
  /** Resolves to false where somebody else has written since that version. */
  write(material: Material, version: string | undefined): Promise<boolean>;
  /** Lays out what proxies are to have, where it isn't there yet. */
  publish(credentials: Credentials): Promise<void>;
}
