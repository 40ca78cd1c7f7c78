import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { timeText, whenText } from '../../words/formats.ts';
import { nameOfChat, personText } from '../../words/person.ts';
import { NewConversation } from '../inbox/new-conversation.tsx';
import { ContactConsent } from './contact-consent.tsx';
import { ContactFields } from './contact-fields.tsx';
import { Split } from './split.tsx';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

export function ContactPage({ params = {} }: RouteProps): JSX.Element {
  const t = words();
  const id = params['contactId'] ?? '';
  const contact = useResource(id, (signal) => call('getContact', { params: { id } }, { signal }));
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal })).load.value;
  const load = contact.load.value;
  const one = load.state === 'loaded' ? load.data : null;
  return (
    <Page
      title={one === null ? t.contact : (one.name ?? personText(one))}
      about={one?.name ? personText(one) : undefined}
      within={[t.title, `${BASE}/contacts`]}
      actions={
        one && (
          <>
            {devices.state === 'loaded' && <NewConversation devices={devices.data.sessions} to={addressOf(one)} />}
            <Removal contact={one} />
          </>
        )
      }
    >
      <Loaded of={contact}>
        {(loaded) => (
          <div class="with-aside">
            <div class="stack">
              <ContactFields key={loaded.updated_at} contact={loaded} onContact={contact.put} />
              <Chats contact={loaded} />
            </div>
            <div class="stack">
              <Facts contact={loaded} />
              <ContactConsent phone={addressOf(loaded)} />
              <Split contact={loaded} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const addressOf = ({ phone, lid }: Contact): string => (phone === null ? (lid ?? '') : `+${phone}`);

function Facts({ contact }: { readonly contact: Contact }): JSX.Element {
  const t = words();
  const { id, name, username, country, last_message_at, created_at } = contact;
  const facts = [
    [t.username, username === null ? null : `@${username}`],
    [t.fields['country'] ?? '', country],
    [t.lastMessage, last_message_at === null ? null : whenText(last_message_at)],
    [t.since, whenText(created_at)],
  ] as const;
  return (
    <div class="card stack">
      <div class="details-head">
        <Avatar id={id} name={name ?? ''} size="large" />
      </div>
      <dl class="pairs">
        {facts.map(
          ([label, value]) =>
            value !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd class="breaks">
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}

const SHOWN_CHATS = 5;

function Chats({ contact }: { readonly contact: Contact }): JSX.Element | null {
  const t = words();
  const { id, phone, lid } = contact;
  const wanted = phone ?? lid ?? '';
  const found = useResource(`chats ${id} ${wanted}`, async (signal) => {
    if (wanted === '') return [];
    const { chats } = await call('listInbox', { query: { q: wanted, limit: SHOWN_CHATS } }, { signal });
    return chats.filter((one) => one.phone === phone && one.lid === lid);
  });
  return (
    <section class="card stack" aria-labelledby="contact-chats">
      <h2 id="contact-chats">{t.chats}</h2>
      <Loaded of={found}>
        {(chats) =>
          chats.length === 0 ? (
            <p class="soft">{t.noChats}</p>
          ) : (
            <ul class="legend">
              {chats.map((one) => (
                <li key={one.id} data-testid="contact-chat">
                  <a href={`${BASE}/inbox/${one.session_id}/${encodeURIComponent(one.chat_id)}`}>
                    <bdi>{one.last_message ?? nameOfChat(one)}</bdi>
                  </a>
                  <b class="meta">{timeText(one.last_message_at)}</b>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function Removal({ contact: { id, ...contact } }: { readonly contact: Contact }): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const isAsking = useSignal(false);
  const acting = useAct();
  const remove = (): Promise<void> =>
    acting.run(async () => {
      await call('deleteContact', { params: { id } });
      route(`${BASE}/contacts`);
    });
  return (
    <>
      <button type="button" class="button danger" aria-haspopup="dialog" onClick={() => (isAsking.value = true)}>
        {t.remove}
      </button>
      <Confirm
        title={t.removeTitle(1)}
        verb={t.remove}
        isDangerous
        isOpen={isAsking.value}
        isBusy={acting.isBusy.value}
        onClose={() => (isAsking.value = false)}
        onConfirm={remove}
      >
        <p class="breaks">{t.removeAsk(contact.name ?? personText(contact))}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
        <AsCode operation="deleteContact" input={{ params: { id } }} />
      </Confirm>
    </>
  );
}
