import type { FieldShape } from '../../store/devices/network-unknown.ts';

/** Never contains content. `fields` is the message's shape, which is reported only once. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly kind: 'contents' | 'stanzas';
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}
