setResponse(new HttpResponse(200, { hello: ARGS.who }));
