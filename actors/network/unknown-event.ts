import type { FieldShape } from '../../store/devices/network-unknown.ts';

/** Something not understood; only its name is reported. `fields`: the message's shape, once. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
