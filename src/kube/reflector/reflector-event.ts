/** What a reflector does, for metrics. */
export type ReflectorEvent =
  /** A list was begun; `initial-events`: as the beginning of a watch. */
  | { readonly type: 'list'; readonly resource: string; readonly by: 'pages' | 'initial-events' }
  /** A watch was opened; `resumed`: from the version that the one before had reached. */
  | { readonly type: 'watch'; readonly resource: string; readonly resumed: boolean }
  /** A list or watch failed, and is tried again. */
  | { readonly type: 'retry'; readonly resource: string; readonly error: Error; readonly relist: boolean }
  /** Changes were told. */
  | { readonly type: 'changes'; readonly resource: string; readonly count: number };
