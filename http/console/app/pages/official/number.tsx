import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Check } from '../../ui/check.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText, whenText } from '../../words/formats.ts';
import { tellVerifyToken, verifyTokenOf } from './connect.tsx';
import { wordOf, words } from './words.ts';

type Session = Schemas['Session'];
type Official = NonNullable<Session['official']>;

interface NumberProps {
  readonly session: Session;
  readonly official: Official;
  readonly onChange: () => void;
}

export function OfficialNumber({ session, official, onChange }: NumberProps): JSX.Element {
  const t = words();
  const checking = useAct();
  const check = (): Promise<void> =>
    checking.run(async () => {
      await call('connectSession', { params: { sessionId: session.id } });
      onChange();
    });
  const { quality, tier, can_send, token_expires_at } = official;
  const facts = [
    [t.quality, quality === null ? t.notKnown : wordOf(t.qualities, quality)],
    [t.tier, tier === null ? t.noLimit : numberText(tier)],
    [t.canSend, can_send ? t.yes : t.no],
    [t.tokenEnds, token_expires_at === null ? t.never : whenText(token_expires_at)],
  ] as const;
  return (
    <section class="card stack" data-testid="official-number">
      <div class="card-head">
        <h2>{t.platform}</h2>
        <button type="button" class="button slim" data-testid="official-check" disabled={checking.isBusy.value} onClick={check}>
          {t.check}
        </button>
      </div>
      {checking.error.value && <Failure error={checking.error.value} onRetry={check} />}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Checks checks={official.checks} />
      <Callback sessionId={session.id} url={official.webhook_url} />
      <Secrets session={session} onChange={onChange} />
    </section>
  );
}

function Checks({ checks }: Pick<Official, 'checks'>): JSX.Element {
  const t = words();
  return (
    <>
      <h3>{t.checks}</h3>
      {checks.length === 0 && <p class="soft small">{t.noChecks}</p>}
      <ol class="list">
        {checks.map(({ name, ok, fix }) => (
          <li key={name} data-testid="official-checked" data-ok={ok}>
            <div class="line">
              <div class="grow">
                {wordOf(t.checkNames, name)}
                {fix !== null && <p class="soft small breaks">{fix}</p>}
              </div>
              <Badge tone={ok ? 'good' : 'bad'} text={ok ? t.passed : t.toRepair} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function Callback({ sessionId, url }: { readonly sessionId: string; readonly url: string | null }): JSX.Element | null {
  const t = words();
  if (url === null) return null;
  return (
    <details>
      <summary>{t.callback}</summary>
      <p class="soft small">{t.callbackAbout}</p>
      <dl class="facts">
        <div>
          <dt>{t.callbackUrl}</dt>
          <dd class="breaks">
            <code>{url}</code>
          </dd>
        </div>
        <div>
          <dt>{t.verifyToken}</dt>
          <dd class="breaks">{verifyTokenOf(sessionId) === null ? t.verifyTokenLater : <code>{verifyTokenOf(sessionId)}</code>}</dd>
        </div>
      </dl>
    </details>
  );
}

const UNCHANGED = { app_secret: '', access_token: '', pin: '' };

function Secrets({ session, onChange }: Pick<NumberProps, 'session' | 'onChange'>): JSX.Element {
  const t = words();
  const given = useSignal(UNCHANGED);
  const limit = useSignal(session.monthly_service_limit === null ? '' : String(session.monthly_service_limit));
  const [endsFormer, isSaved] = [useSignal(false), useSignal(false)];
  const saving = useAct();
  const save = (): Promise<void> =>
    saving.run(async () => {
      isSaved.value = false;
      const secrets = Object.fromEntries(Object.entries(given.value).filter(([, value]) => value !== ''));
      const official = { ...secrets, ...(endsFormer.value && { end_former: true }) };
      const body = { monthly_service_limit: limit.value === '' ? null : Number(limit.value) };
      const isRenewed = Object.keys(official).length > 0;
      const saved = await call('updateSession', { params: { sessionId: session.id }, body: { ...body, ...(isRenewed && { official }) } });
      tellVerifyToken(session.id, saved.verify_token ?? null);
      given.value = UNCHANGED;
      endsFormer.value = false;
      isSaved.value = true;
      onChange();
    });
  const secret = (key: keyof typeof UNCHANGED, label: string): JSX.Element => (
    <Field
      label={label}
      hint={t.renewHint}
      type="password"
      autocomplete="off"
      value={given.value[key]}
      onValue={(value) => (given.value = { ...given.value, [key]: value.trim() })}
    />
  );
  return (
    <details>
      <summary>{t.renew}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {secret('access_token', t.accessToken)}
        {secret('app_secret', t.appSecret)}
        <Check label={t.endFormer} hint={t.endFormerHint} isOn={endsFormer.value} onChange={(isOn) => (endsFormer.value = isOn)} />
        {secret('pin', t.pin)}
        <Field
          label={t.limit}
          hint={t.limitHint}
          type="number"
          value={limit.value}
          onValue={(value) => (limit.value = value)}
          testId="official-limit"
        />
        {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
        <div class="row">
          <button type="submit" class="button" disabled={saving.isBusy.value}>
            {common().save}
          </button>
          <span role="status" class="small soft">
            {isSaved.value && common().saved}
          </span>
        </div>
      </form>
    </details>
  );
}
