import type { UserLetter, UserMailText } from '../../table/records/user-accounts.ts';

/** A letter's text, and the words of its link. */
export interface DefaultLetter extends UserMailText {
  readonly label: string;
}

const ignore = 'If you did not expect this mail, you can ignore it.';

/** Texts of the letters of instances that have none of their own, with the variables of templates. */
export const defaultLetters: Readonly<Record<UserLetter, DefaultLetter>> = {
  register: {
    subject: 'Confirm your e-mail address',
    text: `This address was entered for an account at {{ app }}.\n\nPlease confirm within a day that it is yours. ${ignore}`,
    label: 'Confirm the address',
  },
  registered: {
    subject: 'You already have an account',
    text: `This address was entered for an account at {{ app }}. You already have one with it.\n\nIf you forgot your password, you can set a new one within {{ minutes }} minutes. ${ignore}`,
    label: 'Set a new password',
  },
  confirm: {
    subject: 'Confirm your e-mail address',
    text: `This address was entered for your account at {{ app }}.\n\nPlease confirm within a day that it is yours. ${ignore}`,
    label: 'Confirm the address',
  },
  reset: {
    subject: 'Set a new password',
    text: `A new password was requested for your account at {{ app }}.\n\nYou can set it within {{ minutes }} minutes. Until then your password stays as it is. ${ignore}`,
    label: 'Set a new password',
  },
  code: {
    subject: 'Your code',
    text: `Your code for {{ app }} is {{ code }}.\n\nIt is valid for {{ minutes }} minutes. Do not give it to anyone.`,
    label: '',
  },
  changed: {
    subject: 'Your e-mail address was changed',
    text: `The account at {{ app }} that had this address has another one now.\n\nIf you did not change it, contact the people of the app.`,
    label: '',
  },
  deleted: {
    subject: 'Your account was deleted',
    text: `Your account at {{ app }} was deleted, with everything that belongs to it.`,
    label: '',
  },
};
