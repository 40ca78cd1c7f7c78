import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { consentWords } from '../../words/consent.ts';
import { timeText } from '../../words/formats.ts';
import { personText } from '../../words/person.ts';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

interface TableProps {
  readonly contacts: readonly Contact[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: ReadonlySet<string>) => void;
}

const SHOWN_TAGS = 3;

export function ContactTable({ contacts, chosen, onChoose }: TableProps): JSX.Element {
  const t = words();
  const all = contacts.every(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    onChoose(next);
  };
  return (
    <section class="card table-card" tabIndex={0} aria-label={t.title}>
      <table class="people">
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label={t.chooseAll}
                checked={all}
                ref={(box) => {
                  if (box) box.indeterminate = !all && contacts.some(({ id }) => chosen.has(id));
                }}
                onChange={(event) =>
                  choose(
                    contacts.map(({ id }) => id),
                    event.currentTarget.checked,
                  )
                }
              />
            </th>
            <th scope="col">{t.name}</th>
            <th scope="col" class="not-narrow">
              {t.tags}
            </th>
            <th scope="col">{t.consentColumn}</th>
            <th scope="col" class="not-narrow end">
              {t.lastMessage}
            </th>
          </tr>
        </thead>
        <tbody>
          {contacts.map((one) => (
            <tr key={one.id} data-testid="contact-row" class={chosen.has(one.id) ? 'is-chosen' : undefined}>
              <td>
                <input
                  type="checkbox"
                  aria-label={t.choose(one.name ?? personText(one))}
                  checked={chosen.has(one.id)}
                  onChange={(event) => choose([one.id], event.currentTarget.checked)}
                />
              </td>
              <td>
                <a class="person" href={`${BASE}/contacts/${one.id}`}>
                  <Avatar id={one.id} name={one.name ?? ''} />
                  <span>
                    <strong class="breaks">
                      <bdi>{one.name ?? personText(one)}</bdi>
                    </strong>
                    {one.name !== null && <bdi class="tel tiny meta">{personText(one)}</bdi>}
                  </span>
                </a>
              </td>
              <td class="not-narrow">
                <span class="row">
                  {one.tags.slice(0, SHOWN_TAGS).map((tag) => (
                    <span key={tag} class="tag small">
                      <bdi>{tag}</bdi>
                    </span>
                  ))}
                  {one.tags.length > SHOWN_TAGS && <span class="small soft">+{one.tags.length - SHOWN_TAGS}</span>}
                </span>
              </td>
              <td>
                {one.consent === null ? (
                  <span class="meta small">{t.notRecorded}</span>
                ) : (
                  <Badge tone={one.consent === 'opted_out' ? 'bad' : 'good'} text={consentWords().of[one.consent]} />
                )}
              </td>
              <td class="figures not-narrow end meta">{one.last_message_at === null ? '–' : timeText(one.last_message_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
