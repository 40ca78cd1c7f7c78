import type { AdFacts, ContactCard, ContentKind, PlaceFacts } from '../../../store/messaging/content-kinds.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { personAt } from '../../network/person.ts';

export interface Beside {
  readonly kind: ContentKind | null;
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly place: PlaceFacts | null;
  readonly ad: AdFacts | null;
  readonly contacts?: readonly ContactCard[];
  readonly forwarded: boolean;
  readonly ephemeral: number | null;
}

export const besideOf = ({ parts }: Pick<MessageRow, 'parts'>): Beside => ({
  kind: parts.kind ?? null,
  content: parts.content ?? null,
  place: parts.place ?? null,
  ad: parts.ad ?? null,
  ...(parts.contacts && { contacts: parts.contacts }),
  forwarded: parts.forwarded ?? false,
  ephemeral: parts.ephemeral ?? null,
});

export interface NamedPerson {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
  readonly name: string | null;
}

export function namedPerson(address: string): NamedPerson {
  const { phone, lid, name } = personAt(address);
  return { phone, lid, username: null, name };
}
