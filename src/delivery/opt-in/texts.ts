/** A heading and a sentence. */
type Notice = readonly [title: string, text: string];

/** A heading, a sentence and the words of a button. */
type Question = readonly [title: string, text: string, button: string];

/** The texts for senders who confirm, in one language. */
export type OptInTexts = {
  /** The mail: its subject, and its text as a template. */
  mail: readonly [subject: string, text: string];
  /** After the form was sent. */
  sent: Notice;
  confirm: Question;
  confirmed: Notice;
  expired: Notice;
  /** Either link, of a submission that was deleted, or no link at all. */
  missing: Notice;
  unsubscribe: Question;
  unsubscribed: Notice;
};

const mailOf = (subject: string, please: string, otherwise: string) =>
  [subject, `${please}\n\n{{link}}\n\n${otherwise}\n`] as const;

const TEXTS: Readonly<Record<string, OptInTexts>> = {
  en: {
    mail: mailOf(
      "Please confirm your address",
      "Please open this page and confirm that you sent the form:",
      "If it was not you, ignore this message: nothing more is sent.",
    ),
    sent: ["Check your mail", "We sent you a message. Open the link in it to confirm your address."],
    confirm: ["Confirm your address", "With this step your form is complete.", "Confirm"],
    confirmed: ["Thank you", "Your address is confirmed."],
    expired: ["This link has expired", "Please fill in the form again."],
    missing: ["This link does not work", "The link is not complete, or what you sent was deleted."],
    unsubscribe: ["Unsubscribe?", "You get no more of these messages.", "Unsubscribe"],
    unsubscribed: ["You are unsubscribed", "You get no more of these messages."],
  },
  de: {
    mail: mailOf(
      "Bitte bestätigen Sie Ihre Adresse",
      "Bitte öffnen Sie diese Seite und bestätigen Sie, dass Sie das Formular abgesendet haben:",
      "Falls Sie das nicht waren, ignorieren Sie diese Nachricht: Sie erhalten nichts weiter.",
    ),
    sent: [
      "Bitte prüfen Sie Ihre E-Mails",
      "Wir haben Ihnen eine Nachricht gesendet. Öffnen Sie den Link darin, um Ihre Adresse zu bestätigen.",
    ],
    confirm: ["Adresse bestätigen", "Mit diesem Schritt ist Ihr Formular vollständig.", "Bestätigen"],
    confirmed: ["Vielen Dank", "Ihre Adresse ist bestätigt."],
    expired: ["Dieser Link ist abgelaufen", "Bitte füllen Sie das Formular noch einmal aus."],
    missing: [
      "Dieser Link funktioniert nicht",
      "Der Link ist nicht vollständig, oder Ihre Angaben wurden gelöscht.",
    ],
    unsubscribe: ["Abmelden?", "Sie erhalten keine solchen Nachrichten mehr.", "Abmelden"],
    unsubscribed: ["Sie sind abgemeldet", "Sie erhalten keine solchen Nachrichten mehr."],
  },
  fr: {
    mail: mailOf(
      "Veuillez confirmer votre adresse",
      "Veuillez ouvrir cette page et confirmer que vous avez envoyé le formulaire :",
      "Si ce n’était pas vous, ignorez ce message : vous ne recevrez rien d’autre.",
    ),
    sent: [
      "Consultez votre messagerie",
      "Nous vous avons envoyé un message. Ouvrez le lien qu’il contient pour confirmer votre adresse.",
    ],
    confirm: ["Confirmer votre adresse", "Cette étape complète votre formulaire.", "Confirmer"],
    confirmed: ["Merci", "Votre adresse est confirmée."],
    expired: ["Ce lien a expiré", "Veuillez remplir de nouveau le formulaire."],
    missing: ["Ce lien ne fonctionne pas", "Le lien est incomplet, ou votre envoi a été supprimé."],
    unsubscribe: ["Se désabonner ?", "Vous ne recevrez plus ces messages.", "Se désabonner"],
    unsubscribed: ["Vous êtes désabonné", "Vous ne recevrez plus ces messages."],
  },
  es: {
    mail: mailOf(
      "Confirme su dirección",
      "Abra esta página y confirme que ha enviado el formulario:",
      "Si no ha sido usted, ignore este mensaje: no recibirá nada más.",
    ),
    sent: [
      "Revise su correo",
      "Le hemos enviado un mensaje. Abra el enlace que contiene para confirmar su dirección.",
    ],
    confirm: ["Confirmar su dirección", "Con este paso su formulario queda completo.", "Confirmar"],
    confirmed: ["Gracias", "Su dirección está confirmada."],
    expired: ["Este enlace ha caducado", "Rellene de nuevo el formulario."],
    missing: ["Este enlace no funciona", "El enlace está incompleto o su envío se ha eliminado."],
    unsubscribe: ["¿Darse de baja?", "No recibirá más mensajes de este tipo.", "Darse de baja"],
    unsubscribed: ["Se ha dado de baja", "No recibirá más mensajes de este tipo."],
  },
  pt: {
    mail: mailOf(
      "Confirme o seu endereço",
      "Abra esta página e confirme que enviou o formulário:",
      "Se não foi você, ignore esta mensagem: não receberá mais nada.",
    ),
    sent: [
      "Verifique o seu e-mail",
      "Enviámos-lhe uma mensagem. Abra o link que ela contém para confirmar o seu endereço.",
    ],
    confirm: ["Confirmar o seu endereço", "Com este passo, o seu formulário fica completo.", "Confirmar"],
    confirmed: ["Obrigado", "O seu endereço está confirmado."],
    expired: ["Este link expirou", "Preencha novamente o formulário."],
    missing: ["Este link não funciona", "O link está incompleto ou o seu envio foi eliminado."],
    unsubscribe: ["Cancelar a subscrição?", "Não receberá mais estas mensagens.", "Cancelar"],
    unsubscribed: ["A subscrição foi cancelada", "Não receberá mais estas mensagens."],
  },
  it: {
    mail: mailOf(
      "Conferma il tuo indirizzo",
      "Apri questa pagina e conferma di aver inviato il modulo:",
      "Se non sei stato tu, ignora questo messaggio: non riceverai altro.",
    ),
    sent: [
      "Controlla la posta",
      "Ti abbiamo inviato un messaggio. Apri il link che contiene per confermare il tuo indirizzo.",
    ],
    confirm: ["Conferma il tuo indirizzo", "Con questo passaggio il modulo è completo.", "Conferma"],
    confirmed: ["Grazie", "Il tuo indirizzo è confermato."],
    expired: ["Questo link è scaduto", "Compila di nuovo il modulo."],
    missing: ["Questo link non funziona", "Il link è incompleto o l’invio è stato eliminato."],
    unsubscribe: ["Annullare l’iscrizione?", "Non riceverai più questi messaggi.", "Annulla l’iscrizione"],
    unsubscribed: ["L’iscrizione è annullata", "Non riceverai più questi messaggi."],
  },
  nl: {
    mail: mailOf(
      "Bevestig uw adres",
      "Open deze pagina en bevestig dat u het formulier hebt verzonden:",
      "Was u dit niet, negeer dit bericht dan: u ontvangt verder niets.",
    ),
    sent: [
      "Bekijk uw e-mail",
      "We hebben u een bericht gestuurd. Open de link daarin om uw adres te bevestigen.",
    ],
    confirm: ["Bevestig uw adres", "Met deze stap is uw formulier compleet.", "Bevestigen"],
    confirmed: ["Bedankt", "Uw adres is bevestigd."],
    expired: ["Deze link is verlopen", "Vul het formulier opnieuw in."],
    missing: ["Deze link werkt niet", "De link is niet volledig, of uw inzending is verwijderd."],
    unsubscribe: ["Afmelden?", "U ontvangt deze berichten niet meer.", "Afmelden"],
    unsubscribed: ["U bent afgemeld", "U ontvangt deze berichten niet meer."],
  },
  pl: {
    mail: mailOf(
      "Potwierdź swój adres",
      "Otwórz tę stronę i potwierdź wysłanie formularza:",
      "Jeśli to nie Ty, zignoruj tę wiadomość: nie otrzymasz nic więcej.",
    ),
    sent: [
      "Sprawdź pocztę",
      "Wysłaliśmy Ci wiadomość. Otwórz zawarty w niej link, aby potwierdzić swój adres.",
    ],
    confirm: ["Potwierdź swój adres", "Po tym kroku formularz będzie kompletny.", "Potwierdź"],
    confirmed: ["Dziękujemy", "Twój adres został potwierdzony."],
    expired: ["Ten link wygasł", "Wypełnij formularz ponownie."],
    missing: ["Ten link nie działa", "Link jest niekompletny albo wysłane dane zostały usunięte."],
    unsubscribe: ["Wypisać się?", "Nie otrzymasz więcej takich wiadomości.", "Wypisz mnie"],
    unsubscribed: ["Wypisano", "Nie otrzymasz więcej takich wiadomości."],
  },
  ja: {
    mail: mailOf(
      "メールアドレスの確認をお願いします",
      "次のページを開き、フォームを送信されたことをご確認ください。",
      "お心当たりのない場合は、このメールを無視してください。これ以上は送信されません。",
    ),
    sent: [
      "メールをご確認ください",
      "メールをお送りしました。記載のリンクを開き、アドレスを確認してください。",
    ],
    confirm: ["メールアドレスの確認", "この操作でフォームの送信が完了します。", "確認する"],
    confirmed: ["ありがとうございます", "メールアドレスが確認されました。"],
    expired: ["このリンクは期限切れです", "お手数ですが、フォームをもう一度送信してください。"],
    missing: ["このリンクは使えません", "リンクが不完全か、送信内容が削除されています。"],
    unsubscribe: ["配信を停止しますか?", "今後このようなメールは届きません。", "配信を停止する"],
    unsubscribed: ["配信を停止しました", "今後このようなメールは届きません。"],
  },
  zh: {
    mail: mailOf(
      "请确认您的邮箱地址",
      "请打开此页面,确认表单是由您提交的:",
      "如果不是您本人,请忽略此邮件:您不会再收到其他内容。",
    ),
    sent: ["请查收邮件", "我们已向您发送邮件。请打开其中的链接以确认您的地址。"],
    confirm: ["确认您的邮箱地址", "完成此步骤后,您的表单即提交成功。", "确认"],
    confirmed: ["谢谢", "您的地址已确认。"],
    expired: ["此链接已过期", "请重新填写表单。"],
    missing: ["此链接无效", "链接不完整,或您提交的内容已被删除。"],
    unsubscribe: ["要退订吗?", "您将不再收到此类邮件。", "退订"],
    unsubscribed: ["您已退订", "您将不再收到此类邮件。"],
  },
};

/** The texts of a language (BCP 47); English for one that has none. */
export function optInTexts(language: string): OptInTexts {
  return (Object.hasOwn(TEXTS, language) ? TEXTS[language] : TEXTS["en"])!;
}
