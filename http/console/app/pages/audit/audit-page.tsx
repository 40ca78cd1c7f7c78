import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { useAct } from '../../ui/act.ts';
import { addressWith } from '../../ui/address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { SettingsFrame } from '../../ui/settings-frame.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { wordsOf } from '../../words/words.ts';

const words = wordsOf({
  en: {
    title: 'Audit log',
    about: 'Who did what, when and from where. Tampering and missing entries are detected.',
    action: 'Action',
    actionHint: 'Such as login.create or blast.start. Leave empty for all.',
    filter: 'Filter',
    none: 'No entries',
    noneAbout: 'No actions match this filter.',
    system: 'System',
    refused: 'Refused',
    verify: 'Verify log',
    sound: (to: string) => `The log is complete up to entry ${to}.`,
    broken: (at: string) => `The log was changed at entry ${at}.`,
  },
  id: {
    title: 'Log audit',
    about: 'Siapa melakukan apa, kapan, dan dari mana. Entri yang diubah atau hilang akan terdeteksi.',
    action: 'Tindakan',
    actionHint: 'Misalnya login.create atau blast.start. Kosongkan untuk semua.',
    filter: 'Saring',
    none: 'Tidak ada entri',
    noneAbout: 'Tidak ada tindakan yang cocok dengan filter ini.',
    system: 'Sistem',
    refused: 'Ditolak',
    verify: 'Verifikasi log',
    sound: (to: string) => `Log lengkap sampai entri ${to}.`,
    broken: (at: string) => `Log diubah di entri ${at}.`,
  },
});

export function AuditPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const { action } = query;
  const place = placeIn(query);
  const asked = { ...(action && { action }), ...place };
  const log = useResource(JSON.stringify(asked), (signal) => call('listAudit', { query: asked }, { signal }));
  return (
    <Page title={t.title} about={t.about} actions={<Verify />}>
      <SettingsFrame section="audit">
        <div class="stack">
          <Filter key={action} action={action ?? ''} />
          <Loaded of={log}>
            {({ entries, ...next }) => (
              <>
                <Listing of={entries} empty={<Empty title={t.none} about={t.noneAbout} />}>
                  {(entry) => <Entry key={entry.id} {...entry} />}
                </Listing>
                <Pager path="/audit" query={{ action }} place={place} next={next} />
              </>
            )}
          </Loaded>
        </div>
      </SettingsFrame>
    </Page>
  );
}

function Filter({ action }: { readonly action: string }): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const typed = useSignal(action);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        route(addressWith('/audit', { action: typed.value.trim() }));
      }}
    >
      <Field label={t.action} hint={t.actionHint} autocomplete="off" value={typed.value} onValue={(value) => (typed.value = value)} />
      <button type="submit" class="button">
        {t.filter}
      </button>
    </form>
  );
}

function Entry({ at, actor, action, target, result, code, address }: Schemas['AuditEntry']): JSX.Element {
  const t = words();
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{action}</strong>
          <p class="soft small breaks">
            {actor.name ?? t.system} · {target.kind} {target.id ?? ''}
          </p>
        </div>
        {result === 'refused' && <Badge tone="bad" text={`${t.refused} ${code ?? ''}`} />}
        <span class="soft small">
          {whenText(at)}
          {address !== null && ` · ${address}`}
        </span>
      </div>
    </li>
  );
}

function Verify(): JSX.Element {
  const t = words();
  const verdict = useSignal<Schemas['AuditVerdict'] | null>(null);
  const checking = useAct();
  const check = (): Promise<void> =>
    checking.run(async () => {
      verdict.value = await call('verifyAudit', {});
    });
  const { value } = verdict;
  return (
    <div class="stack">
      <button type="button" class="button" disabled={checking.isBusy.value} onClick={check}>
        {t.verify}
      </button>
      {checking.error.value && <Failure error={checking.error.value} onRetry={check} />}
      <p role="status" class="small">
        {value && (value.ok ? t.sound(String(value.to_seq)) : t.broken(String(value.first_bad_seq)))}
      </p>
    </div>
  );
}
