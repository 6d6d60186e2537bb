/** Turns a marketplace session into a seller's token: exchange, registration, development login. */
import { defineModule } from '../../kernel/route.ts';
import { routes } from './routes/sessions.ts';

export const authModule = defineModule({
  name: 'auth',
  base: '/auth',
  title: 'Auth',
  summary: 'Exchange, register, development login',
  availability: 'available',
  ids: ['ses_'],
  routes,
});
