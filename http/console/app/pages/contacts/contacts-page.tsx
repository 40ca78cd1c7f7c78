import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { ContactForm } from './contact-form.tsx';
import { ContactTable } from './contact-table.tsx';
import { words } from './words.ts';

const NOBODY: ReadonlySet<string> = new Set();

export function ContactsPage(): JSX.Element {
  const t = words();
  const { query, path, route } = useLocation();
  const q = query['q'] ?? '';
  const place = placeIn(query);
  const tag = query['tag'] ?? '';
  const asked = { ...(q !== '' && { q }), ...(tag !== '' && { tag }), ...place };
  const contacts = useResource(JSON.stringify(asked), (signal) => call('listContacts', { query: asked }, { signal }));
  const isMaking = useSignal(false);
  const chosen = useSignal<ReadonlySet<string>>(NOBODY);
  const changes = useSignal(0);
  useEffect(() => {
    chosen.value = NOBODY;
  }, [JSON.stringify(asked)]);
  const saving = useAct();
  const reload = (): void => {
    changes.value += 1;
    contacts.reload();
  };
  const search = (wanted: { readonly q: string; readonly tag: string }): void => {
    const named = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
    route(named.size === 0 ? path : `${path}?${named}`, true);
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      const text = await call('exportContacts', { query: { ...(q !== '' && { q }), ...(tag !== '' && { tag }) } });
      saveFile(new Blob([text], { type: 'text/csv' }), 'contacts.csv');
    });
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <>
          <button type="button" class="button narrow-icon" disabled={saving.isBusy.value} title={t.export} onClick={save}>
            <Icon name="download" />
            <span>{t.export}</span>
          </button>
          <a class="button narrow-icon" data-testid="contacts-import" title={t.import} href={`${BASE}/contacts/import`}>
            <Icon name="upload" />
            <span>{t.import}</span>
          </a>
          <button
            type="button"
            class="button first"
            data-testid="contact-new"
            aria-haspopup="dialog"
            onClick={() => (isMaking.value = true)}
          >
            <Icon name="plus" />
            {t.add}
          </button>
        </>
      }
    >
      <div class="stack">
        <div class="row">
          <SearchField label={t.search} q={q} onSearch={(next) => search({ q: next, tag })} testId="filter-search" />
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
                <ContactTable contacts={all} chosen={chosen.value} onChoose={(ids) => (chosen.value = ids)} />
                <Pager path="/contacts" query={{ q, tag }} place={place} next={next} />
              </>
            )
          }
        </Loaded>
      </div>
      <ContactForm
        isOpen={isMaking.value}
        onClose={() => (isMaking.value = false)}
        onDone={(id) => {
          isMaking.value = false;
          route(`${BASE}/contacts/${id}`);
        }}
      />
    </Page>
  );
}

interface TagFilterProps {
  readonly chosen: string;
  readonly changes: number;
  readonly onTag: (tag: string) => void;
}

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
