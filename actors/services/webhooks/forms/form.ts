import type { EventBody } from '../../events/types.ts';

export interface Around {
  readonly device: { readonly id: string; readonly name: string; readonly phone: string | null };
  readonly url: string;
  readonly address: string;
}

export type Form = (event: EventBody, around: Around) => object | null;
