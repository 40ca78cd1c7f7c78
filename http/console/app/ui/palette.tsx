import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../pages.ts';
import { call } from '../api/client.ts';
import { person } from '../state/session.ts';
import { common } from '../words/common.ts';
import { nameOfChat, personText } from '../words/person.ts';
import { type Entry, type Group, hrefOf, pagesOf } from './entries.ts';
import { Icon, type IconName } from './icon.tsx';

interface PaletteProps {
  readonly entries: readonly (Entry | Group)[];
  /** Text that is already typed. */
  readonly typed: string;
  readonly onClose: () => void;
}

interface Item {
  readonly kind: 'chats' | 'people' | 'acts' | 'pages';
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly beside?: string;
  readonly href: string;
}

const KINDS = ['chats', 'people', 'acts', 'pages'] as const;
const FOUND = 5;
const PAUSE_MS = 200;

/** A leading `>` limits the search to actions and pages. */
export function Palette({ entries, typed: begun, onClose }: PaletteProps): JSX.Element {
  const t = common();
  const { route } = useLocation();
  const typed = useSignal(begun);
  const at = useSignal(0);
  const found = useSignal<readonly Item[]>([]);
  const box = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    opener.current = document.activeElement;
    box.current?.showModal();
  }, []);
  const isActs = typed.value.startsWith('>');
  const wanted = (isActs ? typed.value.slice(1) : typed.value).trim();
  useEffect(() => {
    at.value = 0;
    found.value = [];
    if (isActs || wanted.length < 2) return;
    const over = new AbortController();
    const timer = setTimeout(() => void find(wanted, over.signal).then((items) => (found.value = items)), PAUSE_MS);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [typed.value]);
  const fits = ({ name }: Item): boolean => name.toLowerCase().includes(wanted.toLowerCase());
  const items = [...found.value, ...[...acts(), ...pageItems(entries)].filter(fits)];
  const open = (item: Item | undefined): void => {
    if (!item) return;
    opener.current = null;
    onClose();
    route(item.href);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && items.length > 0) {
      event.preventDefault();
      at.value = (at.value + step + items.length) % items.length;
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      open(items[at.value]);
    }
  };
  const close = (): void => {
    if (opener.current instanceof HTMLElement) opener.current.focus();
    onClose();
  };
  return (
    <dialog ref={box} class="palette" data-testid="palette" aria-label={t.jump} onClose={close}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={t.jump}
          aria-expanded={items.length > 0}
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={items.length > 0 ? `palette-${at.value}` : undefined}
          autocomplete="off"
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onKeyDown={press}
        />
        <button type="button" class="button plain slim" onClick={() => box.current?.close()}>
          {t.close}
        </button>
      </div>
      {items.length === 0 && (
        <p class="soft palette-none" role="status">
          {t.nothingFound}
        </p>
      )}
      <div id="palette-list" role="listbox" aria-label={t.found} class="palette-list">
        {KINDS.map((kind) => {
          const own = items.filter((one) => one.kind === kind);
          if (own.length === 0) return null;
          return (
            <fieldset key={kind} aria-label={t.foundKinds[kind]}>
              <p class="small soft" aria-hidden="true">
                {t.foundKinds[kind]}
              </p>
              {own.map((one) => {
                const nth = items.indexOf(one);
                return (
                  <div
                    key={one.key}
                    id={`palette-${nth}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={nth === at.value}
                    class="palette-item"
                    onClick={() => open(one)}
                    onKeyDown={press}
                  >
                    <Icon name={one.icon} small />
                    <bdi class="one-line">{one.name}</bdi>
                    {one.beside && <bdi class="one-line small soft">{one.beside}</bdi>}
                  </div>
                );
              })}
            </fieldset>
          );
        })}
      </div>
    </dialog>
  );
}

async function find(q: string, signal: AbortSignal): Promise<readonly Item[]> {
  const isOwner = person.value?.role === 'admin';
  const [inbox, contacts] = await Promise.all([
    call('listInbox', { query: { q, limit: FOUND } }, { signal }).catch(() => null),
    isOwner ? call('listContacts', { query: { q, limit: FOUND } }, { signal }).catch(() => null) : null,
  ]);
  const chats = (inbox?.chats ?? []).slice(0, FOUND).map((one): Item => {
    const name = nameOfChat(one);
    const href = `${BASE}/inbox/${one.session_id}/${encodeURIComponent(one.chat_id)}`;
    return { kind: 'chats', key: one.id, icon: 'chat', name, beside: one.last_message ?? '', href };
  });
  const people = (contacts?.contacts ?? []).map((one): Item => {
    const name = one.name ?? personText(one);
    return { kind: 'people', key: one.id, icon: 'person', name, beside: personText(one), href: `${BASE}/contacts/${one.id}` };
  });
  return signal.aborted ? [] : [...chats, ...people];
}

const acts = (): readonly Item[] =>
  person.value?.role === 'admin'
    ? [{ kind: 'acts', key: 'new-campaign', icon: 'campaign', name: common().newCampaign, href: `${BASE}/campaigns/new` }]
    : [];

const pageItems = (entries: readonly (Entry | Group)[]): readonly Item[] =>
  entries.flatMap((one) =>
    pagesOf(one).map((page): Item => ({ kind: 'pages', key: page, icon: one.icon, name: common().nav[page], href: hrefOf(page) })),
  );
