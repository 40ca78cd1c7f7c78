import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Bones, Loaded } from '../../ui/states.tsx';

interface PartProps {
  readonly title: string;
  readonly sessionId: string;
  readonly needs: keyof Schemas['Capabilities'];
  readonly testId: string;
  readonly children: ComponentChildren;
}

/** A section that loads only when it is opened, and only if the account supports it. */
export function Part({ title, sessionId, needs, testId, children }: PartProps): JSX.Element {
  const wasOpened = useSignal(false);
  return (
    <details
      class="card"
      data-testid={testId}
      onToggle={(event) => {
        if (event.currentTarget.open) wasOpened.value = true;
      }}
    >
      <summary>{title}</summary>
      {wasOpened.value && (
        <WhereAble sessionId={sessionId} needs={needs}>
          {children}
        </WhereAble>
      )}
    </details>
  );
}

function WhereAble({ sessionId, needs, children }: Pick<PartProps, 'sessionId' | 'needs' | 'children'>): JSX.Element {
  const able = useResource(sessionId, (signal) => call('getCapabilities', { params: { sessionId } }, { signal }));
  return (
    <Loaded of={able} loading={<Bones count={1} />}>
      {({ [needs]: answer }) => (answer === true ? children : <p class="soft">{answer.reason}</p>)}
    </Loaded>
  );
}
