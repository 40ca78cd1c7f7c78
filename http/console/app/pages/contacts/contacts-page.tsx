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
import { ContactForm } from './contact-form.tsx';
import { ImportForm } from './import-form.tsx';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

type Open = { readonly kind: 'new' | 'import' } | { readonly kind: 'edit'; readonly contact: Contact } | null;

const PAUSE_MS = 250;

/** The contacts that fit the search in the address. */
export function ContactsPage(): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const q = query['q'] ?? '';
  const place = placeIn(query);
  const asked = { ...(q !== '' && { q }), ...place };
  const contacts = useResource(JSON.stringify(asked), (signal) => call('listContacts', { query: asked }, { signal }));
  const open = useSignal<Open>(null);
  const saving = useAct();
  const now = open.value;
  const close = (): void => {
    open.value = null;
  };
  const done = (): void => {
    close();
    contacts.reload();
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      const address = URL.createObjectURL(
        new Blob([await call('exportContacts', { query: { ...(q !== '' && { q }) } })], { type: 'text/csv' }),
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
        <Search q={q} onSearch={(next) => route(next === '' ? path : `${path}?${new URLSearchParams({ q: next })}`, true)} />
        {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
        <Loaded of={contacts}>
          {({ contacts: all, ...next }) =>
            all.length === 0 ? (
              <Empty title={t.none} about={q === '' ? t.noneAbout : t.noMatch} />
            ) : (
              <>
                <Table contacts={all} onOpen={(contact) => (open.value = { kind: 'edit', contact })} />
                <Pager path="/contacts" query={{ q }} place={place} next={next} />
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

interface TableProps {
  readonly contacts: readonly Contact[];
  readonly onOpen: (contact: Contact) => void;
}

function Table({ contacts, onOpen }: TableProps): JSX.Element {
  const t = words();
  return (
    <section class="table-box" tabIndex={0} aria-label={t.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.phone}</th>
            <th scope="col" class="not-narrow">
              {t.tags}
            </th>
            <th scope="col">
              <span class="only-heard">{t.open}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {contacts.map((one) => (
            <tr key={one.id} data-testid="contact-row">
              <td class="breaks">{one.name ?? ''}</td>
              <td class="figures">{personText(one)}</td>
              <td class="breaks not-narrow">{one.tags.join(', ')}</td>
              <td>
                <button type="button" class="button slim" aria-haspopup="dialog" onClick={() => onOpen(one)}>
                  {t.open}
                  <span class="only-heard"> {one.name ?? personText(one)}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
