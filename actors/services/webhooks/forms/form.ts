import type { EventBody } from '../../events/types.ts';

export interface Around {
  readonly device: { readonly id: string; readonly name: string; readonly phone: string | null };
  readonly url: string;
  /** The public address of this gateway; empty when it is not configured. */
  readonly address: string;
}

export type Form = (event: EventBody, around: Around) => object | null;
