import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { answered } from '../../api/request.ts';
import { lockOperator, operator, operatorHeaders, unlockOperator } from '../../state/operator.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

interface GateProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ComponentChildren;
}

export function OperatorsOnly({ title, about, children }: GateProps): JSX.Element {
  const t = words();
  if (operator.value === null)
    return (
      <Page title={title} about={t.locked} width="narrow">
        <Ask />
      </Page>
    );
  const lock = (
    <button type="button" class="button slim" onClick={lockOperator}>
      {t.lock}
    </button>
  );
  return (
    <Page title={title} actions={lock} {...(about !== undefined && { about })}>
      <div class="stack">{children}</div>
    </Page>
  );
}

function Ask(): JSX.Element {
  const t = words();
  const [secret, code] = [useSignal(''), useSignal('')];
  const trying = useAct();
  const open = (): Promise<void> => trying.run(() => proveOperator(secret.value, code.value.trim()));
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void open();
      }}
    >
      <Field
        label={t.secret}
        type="password"
        autocomplete="off"
        required
        value={secret.value}
        onValue={(value) => (secret.value = value)}
        testId="admin-secret"
      />
      <Field
        label={t.factor}
        hint={t.factorHint}
        autocomplete="one-time-code"
        value={code.value}
        onValue={(value) => (code.value = value)}
      />
      {trying.error.value && <Failure error={trying.error.value} onRetry={open} />}
      <button type="submit" class="button first" disabled={trying.isBusy.value}>
        {t.open}
      </button>
    </form>
  );
}

async function proveOperator(secret: string, code: string): Promise<void> {
  const bare = { secret, session: null };
  const session = code === '' ? null : await sessionFor(bare, code);
  const proof = { secret, session };
  await answered({ method: 'GET', path: '/v1/admin/nodes', headers: operatorHeaders(proof) });
  unlockOperator(proof);
}

async function sessionFor(proof: Parameters<typeof operatorHeaders>[0], code: string): Promise<string> {
  const request = { method: 'POST', path: '/v1/admin/2fa/verify', headers: operatorHeaders(proof), body: { code } };
  return (await answered<{ readonly session: string }>(request)).session;
}
