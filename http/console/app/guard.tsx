import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { type Audience, BASE } from '../pages.ts';
import type { ApiError } from './api/request.ts';
import { NotAllowedPage } from './pages/not-found/not-found-page.tsx';
import { person, resume, unreachable } from './state/session.ts';
import { Page } from './ui/page.tsx';
import { Failure } from './ui/states.tsx';
import { common } from './words/common.ts';

export interface RouteProps {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Renders the page only for its audience, so that it makes no calls for other visitors. */
export function guarded(audience: Audience, Component: ComponentType<RouteProps>): ComponentType<RouteProps> {
  if (audience === 'all' || audience === 'operator') return Component;
  return function Guarded(props: RouteProps): JSX.Element {
    const { value } = person;
    if (value === undefined) return unreachable.value ? <Unreachable error={unreachable.value} /> : <Page title={common().loading} busy />;
    if (value === null) return <ToSignIn />;
    if (audience === 'owner' && value.role !== 'admin') return <NotAllowedPage />;
    return <Component {...props} />;
  };
}

const Unreachable = ({ error }: { readonly error: ApiError }): JSX.Element => (
  <Page title={common().unreachable}>
    <Failure error={error} onRetry={resume} />
  </Page>
);

function ToSignIn(): JSX.Element {
  const { url, route } = useLocation();
  useEffect(() => {
    // If the visitor has just signed out, another page is already being opened.
    if (location.pathname + location.search !== url) return;
    const next = url === `${BASE}/` || url === BASE ? '' : `?next=${encodeURIComponent(url)}`;
    route(`${BASE}/sign-in${next}`, true);
  }, []);
  return <Page title={common().signIn} busy />;
}
