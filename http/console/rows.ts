import Joi from 'joi';
import { type Area, Raw, rowsFor } from '../core/row.ts';
import type { Console } from './served-console.ts';

export interface ConsoleServices {
  readonly console: Console;
}

const row = rowsFor<ConsoleServices>();

export const consolePages: Area<ConsoleServices> = {
  name: 'console',
  about: 'The browser console. It does everything through this API',
  rows: [
    row({
      id: 'openConsole',
      method: 'GET',
      path: '/console',
      summary: 'Open the console',
      about: 'Redirect to `/console/`',
      access: 'none',
      status: 307,
      produces: ['text/plain'],
      returns: Joi.string(),
      run: () => new Raw('/console/', 'text/plain; charset=utf-8', 307, { location: '/console/' }),
    }),
    row({
      id: 'getConsole',
      method: 'GET',
      path: '/console/{path*}',
      summary: 'Show the console',
      about: "Get a page or a file of the browser console. An unknown page returns 404 with the console's HTML",
      access: 'none',
      params: Joi.object<{ path?: string }>({ path: Joi.string().allow('').description('A page or a file').example('sign-in') }),
      // A list's filters are part of the address and are read by the page itself.
      query: Joi.object().unknown(),
      status: 200,
      produces: ['text/html'],
      headers: ['accept-encoding'],
      returns: Joi.string(),
      also: { 404: 'An unknown page. The body is still the document of the console' },
      run: (services, { params, header, lang }) => services.console.get(params.path ?? '', header('accept-encoding'), lang),
    }),
  ],
};
