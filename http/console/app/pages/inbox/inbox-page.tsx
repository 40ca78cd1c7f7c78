import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { onLiveEvent, onResync } from '../../state/live.ts';
import { person } from '../../state/session.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { nameOfChat } from '../../words/person.ts';
import { ChatRows } from './chat-list.tsx';
import { ChatPane } from './chat-pane.tsx';
import { FilterBar } from './filters.tsx';
import { addressWith, chatKey, createChatList, type Filters, filtersOf, openChat } from './list-state.ts';
import { NewConversation } from './new-conversation.tsx';
import { useTyping } from './typing.ts';
import { words } from './words.ts';

export function InboxPage({ params = {} }: RouteProps): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const { sessionId = null, chatId = null } = params;
  const filters = filtersOf(query);
  const key = JSON.stringify(filters);
  const list = useMemo(() => createChatList(filters), [key]);
  useEffect(() => list.stop, [list]);
  const current = sessionId === null || chatId === null ? null : chatKey(sessionId, chatId);
  useEffect(() => {
    openChat.value = current;
    return () => {
      openChat.value = null;
    };
  }, [current]);
  const devices = useDevices();
  useTyping(current !== null);
  const agents = useAgents();
  const found = useSignal<{ readonly of: string; readonly name: string } | null>(null);
  const listed = list.chats.value.find((one) => chatKey(one.session_id, one.chat_id) === current);
  const name = listed ? nameOfChat(listed) : found.value?.of === current ? found.value.name : chatId;
  const setFilters = (next: Filters, isStep: boolean): void => route(addressWith(path, next), !isStep);
  const step = (by: 1 | -1): void => {
    const chats = list.chats.value;
    const at = chats.findIndex((one) => chatKey(one.session_id, one.chat_id) === current);
    const next = chats[at === -1 ? 0 : at + by];
    if (next) route(addressWith(`${BASE}/inbox/${next.session_id}/${encodeURIComponent(next.chat_id)}`, filters));
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '/': () => document.querySelector<HTMLElement>('.inbox-filters [type="search"]')?.focus(),
  });
  const isEmpty = list.state.value === 'loaded' && list.chats.value.length === 0;
  return (
    <Page title={name === null ? t.title : `${name} · ${t.title}`} width="wide" busy={list.state.value === 'loading'} isHeadHidden>
      <div class="inbox" data-open={current === null ? 'list' : 'chat'}>
        <section class="inbox-list" aria-label={t.chats}>
          <div>
            <FilterBar filters={filters} devices={devices} agents={agents} onFilters={setFilters}>
              <NewConversation devices={devices} look="button slim first" />
            </FilterBar>
          </div>
          {isEmpty ? (
            <Nothing isFiltered={key !== '{}'} onClear={() => route(path)} />
          ) : (
            <ChatRows
              list={list}
              filters={filters}
              current={current}
              deviceNames={new Map(devices.map((one) => [one.id, nameOfDevice(one)]))}
            />
          )}
        </section>
        {sessionId !== null && chatId !== null ? (
          <ChatPane
            key={current ?? ''}
            {...{ sessionId, chatId, agents }}
            listed={listed}
            device={devices.find(({ id }) => id === sessionId)}
            backTo={addressWith(`${BASE}/inbox`, filters)}
            onName={(known) => {
              found.value = { of: current ?? '', name: known };
            }}
            onChat={list.put}
          />
        ) : (
          <div class="inbox-none">
            <p class="soft">
              <strong>{t.pick}.</strong> {t.pickAbout}
            </p>
          </div>
        )}
      </div>
    </Page>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }): JSX.Element {
  const t = words();
  return (
    <div class="inbox-nothing" data-testid="chat-list">
      <p>
        <strong>{t.noChats}</strong>
      </p>
      <p class="soft">{isFiltered ? t.noMatch : t.noChatsAbout}</p>
      {isFiltered && (
        <button type="button" class="button" onClick={onClear}>
          {t.clear}
        </button>
      )}
    </div>
  );
}

function useDevices(): readonly Schemas['Session'][] {
  const found = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  useEffect(() => {
    const stops = [onLiveEvent(({ type }) => void (type.startsWith('session.') && found.reload())), onResync(found.resync)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const load = found.load.value;
  return load.state === 'loaded' ? load.data.sessions : [];
}

/** Returns an empty list if the user is an agent, because agents may not list other agents. */
function useAgents(): readonly Schemas['Agent'][] {
  const isOwner = person.value?.role === 'admin';
  const found = useResource(`agents ${isOwner}`, async (signal) => (isOwner ? call('listAgents', {}, { signal }) : { agents: [] }));
  const load = found.load.value;
  return load.state === 'loaded' ? load.data.agents : [];
}
