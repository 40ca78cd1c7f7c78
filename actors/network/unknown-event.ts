import type { FieldShape } from '../../store/devices/network-unknown.ts';

/** Network data that this gateway does not understand. `fields` is its structure, without content. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
