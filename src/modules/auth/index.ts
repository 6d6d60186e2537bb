/** Exchange, register, development login: how a marketplace session becomes a seller's token. */
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
