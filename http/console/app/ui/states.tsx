import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ApiError } from '../api/request.ts';
import type { Resource } from '../api/resource.ts';
import { common } from '../words/common.ts';
import { waiting } from './page.tsx';

interface FailureProps {
  readonly error: ApiError;
  readonly onRetry?: (() => void) | undefined;
}

export function Failure({ error, onRetry }: FailureProps): JSX.Element {
  const t = common();
  return (
    <div class="notice bad" role="alert">
      <div>
        <p>{error.message}</p>
        {error.faults.length > 1 && (
          <ul class="small">
            {error.faults.map((fault) => (
              <li key={fault.path}>{fault.message}</li>
            ))}
          </ul>
        )}
        {error.requestId !== null && error.status >= 500 && <p class="small soft">{t.request(error.requestId)}</p>}
      </div>
      {onRetry && (
        <button type="button" class="button slim" data-testid="retry" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

export function Bones({ count = 3 }: { readonly count?: number }): JSX.Element {
  return (
    <div class="bones">
      <p class="only-heard">{common().loading}</p>
      {Array.from({ length: count }, (_one, nth) => (
        <div key={nth} class="bone" />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly about: string;
  readonly children?: ComponentChildren;
}

export const Empty = ({ title, about, children }: EmptyProps): JSX.Element => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{about}</p>
    {children}
  </div>
);

interface LoadedProps<T> {
  readonly of: Resource<T>;
  readonly loading?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

export function Loaded<T>({ of: resource, loading, children }: LoadedProps<T>): JSX.Element {
  const load = resource.load.value;
  switch (load.state) {
    case 'loading':
      return <Waiting>{loading ?? <Bones />}</Waiting>;
    case 'failed':
      return <Failure error={load.error} onRetry={resource.reload} />;
    case 'loaded':
      return (
        <>
          {load.error && <Failure error={load.error} onRetry={resource.reload} />}
          {children(load.data)}
        </>
      );
  }
}

function Waiting({ children }: { readonly children: ComponentChildren }): JSX.Element {
  useLayoutEffect(() => {
    waiting.value += 1;
    return () => {
      waiting.value -= 1;
    };
  }, []);
  return <>{children}</>;
}

export const isLoading = <T,>({ load }: Resource<T>): boolean => load.value.state === 'loading';
