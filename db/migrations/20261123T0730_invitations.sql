-- owner: sellers
--
-- An invited person takes an invitation up with the token of its link, until the invitation expires.

alter table team_member
  -- SHA-256 of the token, in hexadecimal digits. It stays after the acceptance, so that a repeated request is
  -- answered as the first one was.
  add column invitation_hash text,
  add column invitation_expires_at timestamptz;

create index team_member_invitation on team_member (invitation_hash)
  where invitation_hash is not null;

-- Nothing looks for invitations by identity or address any more.
drop index team_member_invited_subject;
drop index team_member_invited_email;
