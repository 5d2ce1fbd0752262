/** What becomes of a request. */
export type Answer =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | {
      readonly kind: 'proxied';
      /** `address:port` of each endpoint that may get it. */
      readonly endpoints: readonly string[];
      /** As the backend reads them, byte for byte. */
      readonly method: string;
      readonly uri: string;
      readonly host: string;
    };
