import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { personText } from '../../words/person.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ContactForm } from './contact-form.tsx';
import { ContactTable } from './contact-table.tsx';
import { ImportForm } from './import-form.tsx';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

type Open = { readonly kind: 'new' | 'import' } | { readonly kind: 'edit'; readonly contact: Contact } | null;

const PAUSE_MS = 250;
const NOBODY: ReadonlySet<string> = new Set();

/** The contacts that fit the search in the address. */
export function ContactsPage(): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const q = query['q'] ?? '';
  const place = placeIn(query);
  const tag = query['tag'] ?? '';
  const asked = { ...(q !== '' && { q }), ...(tag !== '' && { tag }), ...place };
  const contacts = useResource(JSON.stringify(asked), (signal) => call('listContacts', { query: asked }, { signal }));
  const open = useSignal<Open>(null);
  const chosen = useSignal<ReadonlySet<string>>(NOBODY);
  const changes = useSignal(0);
  useEffect(() => {
    chosen.value = NOBODY;
  }, [JSON.stringify(asked)]);
  const saving = useAct();
  const now = open.value;
  const close = (): void => {
    open.value = null;
  };
  const reload = (): void => {
    changes.value += 1;
    contacts.reload();
  };
  const done = (): void => {
    close();
    reload();
  };
  const search = (wanted: { readonly q: string; readonly tag: string }): void => {
    const named = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
    route(named.size === 0 ? path : `${path}?${named}`, true);
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      const address = URL.createObjectURL(
        new Blob([await call('exportContacts', { query: { ...(q !== '' && { q }), ...(tag !== '' && { tag }) } })], { type: 'text/csv' }),
      );
      const link = document.createElement('a');
      link.href = address;
      link.download = 'contacts.csv';
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <>
          <button type="button" class="button" disabled={saving.isBusy.value} onClick={save}>
            {t.export}
          </button>
          <button
            type="button"
            class="button"
            data-testid="contacts-import"
            aria-haspopup="dialog"
            onClick={() => (open.value = { kind: 'import' })}
          >
            {t.import}
          </button>
          <button
            type="button"
            class="button first"
            data-testid="contact-new"
            aria-haspopup="dialog"
            onClick={() => (open.value = { kind: 'new' })}
          >
            {t.add}
          </button>
        </>
      }
    >
      <div class="stack">
        <div class="row">
          <Search q={q} onSearch={(next) => search({ q: next, tag })} />
          <TagFilter chosen={tag} changes={changes.value} onTag={(next) => search({ q, tag: next })} />
        </div>
        {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
        <Loaded of={contacts}>
          {({ contacts: all, ...next }) =>
            all.length === 0 ? (
              <Empty title={t.none} about={q === '' && tag === '' ? t.noneAbout : t.noMatch} />
            ) : (
              <>
                {chosen.value.size > 0 && (
                  <BulkBar
                    chosen={all.filter(({ id }) => chosen.value.has(id))}
                    onDone={() => {
                      chosen.value = NOBODY;
                      reload();
                    }}
                    onDrop={() => {
                      chosen.value = NOBODY;
                    }}
                  />
                )}
                <ContactTable
                  contacts={all}
                  chosen={chosen.value}
                  onChoose={(ids) => (chosen.value = ids)}
                  onOpen={(contact) => (open.value = { kind: 'edit', contact })}
                />
                <Pager path="/contacts" query={{ q, tag }} place={place} next={next} />
              </>
            )
          }
        </Loaded>
      </div>
      <Dialog
        title={now?.kind === 'edit' ? (now.contact.name ?? personText(now.contact)) : t.add}
        isOpen={now?.kind === 'new' || now?.kind === 'edit'}
        onClose={close}
      >
        <ContactForm contact={now?.kind === 'edit' ? now.contact : null} onDone={done} />
      </Dialog>
      <Dialog title={t.import} isOpen={now?.kind === 'import'} onClose={done}>
        <ImportForm />
      </Dialog>
    </Page>
  );
}

interface TagFilterProps {
  readonly chosen: string;
  /** How often contacts were changed here: the tags are read again after each. */
  readonly changes: number;
  readonly onTag: (tag: string) => void;
}

/** Those that have a tag. */
function TagFilter({ chosen, changes, onTag }: TagFilterProps): JSX.Element | null {
  const t = words();
  const found = useResource(`tags ${changes}`, (signal) => call('listTags', {}, { signal }));
  const names = found.load.value.state === 'loaded' ? found.load.value.data.tags.map(({ name }) => name) : [];
  const shown = chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
  if (shown.length === 0) return null;
  return (
    <select
      class="filter"
      aria-label={t.tag}
      data-testid="filter-tag"
      value={chosen}
      onChange={(event) => onTag(event.currentTarget.value)}
    >
      <option value="">{t.anyTag}</option>
      {shown.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Search({ q, onSearch }: { readonly q: string; readonly onSearch: (q: string) => void }): JSX.Element {
  const t = words();
  const typed = useSignal(q);
  useEffect(() => {
    typed.value = q;
  }, [q]);
  useEffect(() => {
    if (typed.value.trim() === q) return;
    const timer = setTimeout(() => onSearch(typed.value.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <search>
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        data-testid="filter-search"
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </search>
  );
}
