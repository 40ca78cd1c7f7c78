import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { person } from '../../state/session.ts';
import { Icon } from '../../ui/icon.tsx';
import { OptOut } from '../../ui/opt-out.tsx';
import { consentWords } from '../../words/consent.ts';
import { whenText } from '../../words/formats.ts';
import { words } from './words.ts';

/** Shows the person's consent, the contact's fields and a link to the contact in the panel of a chat. */

type Consent = Schemas['ConsentRecord'] | null;

interface PersonActsProps {
  /** The number or hidden address that the API takes for this person. */
  readonly address: string;
  readonly found: FoundContact | null;
  readonly consent: Consent;
  /** Runs after the person was opted out. */
  readonly onConsent: () => void;
}

export function PersonActs({ address, found, consent, onConsent }: PersonActsProps): JSX.Element {
  const t = words();
  return (
    <div class="row">
      {person.value?.role === 'admin' && (
        <a class="button slim" href={found ? `${BASE}/contacts/${found.contact.id}` : `${BASE}/contacts?q=${encodeURIComponent(address)}`}>
          <Icon name="person" small />
          {t.profile}
        </a>
      )}
      {consent?.status !== 'opted_out' && <OptOut address={address} testId="chat-opt-out" onDone={onConsent} />}
    </div>
  );
}

export function PersonFacts({ found, consent }: Pick<PersonActsProps, 'found' | 'consent'>): JSX.Element | null {
  const [t, c] = [words(), consentWords()];
  const facts: readonly (readonly [label: string, value: string])[] = [
    ...(consent ? [[c.consent, `${c.of[consent.status]} ${c.sources[consent.source]}, ${whenText(consent.updated_at)}`] as const] : []),
    ...(found?.fields ?? []),
    ...(found ? [[t.contactSince, whenText(found.contact.created_at)] as const] : []),
  ];
  if (facts.length === 0) return null;
  return (
    <section class="stack-small" data-testid="person-facts">
      <h3>{t.details}</h3>
      <dl class="pairs">
        {facts.map(([label, value], nth) => (
          <div key={nth}>
            <dt>
              <bdi>{label}</bdi>
            </dt>
            <dd class="breaks">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export interface FoundContact {
  readonly contact: Schemas['Contact'];
  readonly fields: readonly (readonly [label: string, value: string])[];
}

/** Null while loading, and if the person has no contact. A group has no `address`. */
export function useContact(address: string | null): FoundContact | null {
  const load = useResource(`contact ${address ?? ''}`, async (signal): Promise<FoundContact | null> => {
    if (address === null) return null;
    const { contacts } = await call('listContacts', { query: { phone: address, limit: 1 } }, { signal });
    const [contact] = contacts;
    if (!contact) return null;
    const filled = Object.entries(contact.attrs).filter(([, value]) => value !== '');
    const { attributes } = filled.length === 0 ? { attributes: [] } : await call('listAttributes', {}, { signal });
    const labels = new Map(attributes.map(({ key, label }) => [key, label]));
    return { contact, fields: filled.map(([key, value]) => [labels.get(key) ?? key, value]) };
  }).load.value;
  return load.state === 'loaded' ? load.data : null;
}
