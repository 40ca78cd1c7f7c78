import type { JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { LocationProvider } from 'preact-iso/router';
import { BASE } from '../pages.ts';
import { errorOf } from './api/resource.ts';
import { Pages } from './routes.tsx';
import { Layout } from './ui/layout.tsx';
import { Page } from './ui/page.tsx';
import { Failure } from './ui/states.tsx';
import { StepUp } from './ui/step-up.tsx';

export const App = (): JSX.Element => (
  <LocationProvider scope={BASE}>
    <Layout>
      <WithoutCrash>
        <Pages />
      </WithoutCrash>
      <StepUp />
    </Layout>
  </LocationProvider>
);

function WithoutCrash({ children }: { readonly children: JSX.Element }): JSX.Element {
  const [cause, again] = useErrorBoundary();
  if (cause === undefined) return children;
  const error = errorOf(cause);
  return (
    <Page title={error.message}>
      <Failure error={error} onRetry={again} />
    </Page>
  );
}
