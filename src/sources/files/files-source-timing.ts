/** Milliseconds. The defaults suit people and editors; tests take shorter ones. */
export interface FilesSourceTiming {
  /**
   * A file that came as a whole, as by a rename, is read so long afterwards. Whoever makes a file in its place is seen to
   * write to it meanwhile.
   */
  readonly moved: number;
  /** Any other file is read when nothing was heard of it for so long. */
  readonly quiet: number;
  /** A file that is written to without a pause is read after so long all the same. */
  readonly longest: number;
  /**
   * What would take objects away is believed only after so long without more of it: `rm -r` empties a folder before
   * it removes it, some editors move the old file away before they write the new one, and a file that is written in
   * place is empty first.
   */
  readonly hold: number;
  /** What takes objects away without a pause is believed after so long. */
  readonly longestHold: number;
  /** How often it is looked whether a missing folder is back, or another one stands in its place. */
  readonly probe: number;
  /** How often folders are listed that the system refuses to watch. */
  readonly relist: number;
  /** When a file that weir failed to read is tried again though nothing was heard of it. */
  readonly retry: number;
}

export const FILES_SOURCE_TIMING: FilesSourceTiming = {
  moved: 4,
  quiet: 25,
  longest: 500,
  hold: 150,
  longestHold: 5_000,
  probe: 250,
  relist: 2_000,
  retry: 60_000,
};
